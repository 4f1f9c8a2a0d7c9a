// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A Lua script and the digest by which servers know it.
 *
 * @param source the source
 * @param sha1 the digest
 */
record Script(String source, String sha1) {
    /** Reads a script from a resource beside this class. */
    static Script load(String resource) {
        try (InputStream in = Script.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException("no resource " + resource + " beside " + Script.class.getName());
            }
            byte[] source = in.readAllBytes();
            return new Script(
                    new String(source, StandardCharsets.UTF_8),
                    HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(source)));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the resource " + resource, e);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-1", e);
        }
    }
}
