// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson.scripts;

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
public record Script(String source, String sha1) {
    /** Reads a script from resources beside this class, which follow one another. */
    public static Script load(String... resources) {
        StringBuilder source = new StringBuilder();
        for (String resource : resources) {
            source.append(text(resource));
        }
        return of(source.toString());
    }

    private static String text(String resource) {
        try (InputStream in = Script.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException("no resource " + resource + " beside " + Script.class.getName());
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the resource " + resource, e);
        }
    }

    private static Script of(String source) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(source.getBytes(StandardCharsets.UTF_8));
            return new Script(source, HexFormat.of().formatHex(digest));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-1", e);
        }
    }
}
