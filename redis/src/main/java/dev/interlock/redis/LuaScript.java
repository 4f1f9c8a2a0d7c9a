// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Objects;

/** A Lua script and the digest by which servers know it. Instances are immutable. */
public final class LuaScript {
    /** The command that calls a script by its digest. */
    static final String CALL = "EVALSHA";

    private final String source;
    private final String sha1;
    private final byte[] encodedCall;

    private LuaScript(String source) {
        this.source = source;
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(source.getBytes(StandardCharsets.UTF_8));
            this.sha1 = HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-1", e);
        }
        ByteArrayOutputStream call = new ByteArrayOutputStream();
        call.writeBytes(RedisCommand.bulk(CALL.getBytes(StandardCharsets.UTF_8)));
        call.writeBytes(RedisCommand.bulk(sha1.getBytes(StandardCharsets.UTF_8)));
        this.encodedCall = call.toByteArray();
    }

    /**
     * Creates a script from its source.
     *
     * @param source the source, in which nothing varies between calls: names and values travel as keys and arguments
     * @return the script
     */
    public static LuaScript of(String source) {
        return new LuaScript(Objects.requireNonNull(source, "source"));
    }

    /**
     * Writes a text so that Lua reads it back, whatever its characters are.
     *
     * @param text the text
     * @return a string literal of Lua, in printable characters of ASCII
     */
    public static String quote(String text) {
        StringBuilder literal = new StringBuilder("'");
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            boolean isItself = b >= ' ' && b <= '~' && b != '\'' && b != '\\';
            literal.append(isItself ? Character.toString(b) : String.format(Locale.ROOT, "\\%03d", b & 0xFF));
        }
        return literal.append('\'').toString();
    }

    /**
     * Reads a script from resources beside a class. On the module path, its module must open the package to this one.
     *
     * @param beside the class
     * @param resources the names of the resources, which make up the script one after the other
     * @return the script
     */
    public static LuaScript load(Class<?> beside, String... resources) {
        StringBuilder source = new StringBuilder();
        for (String resource : resources) {
            source.append(read(beside, resource));
        }
        return of(source.toString());
    }

    private static String read(Class<?> beside, String resource) {
        try (InputStream in = beside.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException("no resource " + resource + " beside " + beside.getName()
                        + ", or its module does not open the package to dev.interlock.redis");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the resource " + resource, e);
        }
    }

    public String source() {
        return source;
    }

    public String sha1() {
        return sha1;
    }

    /** Returns the encoded beginning of each call of the script. {@link RedisCommand} does not modify it. */
    byte[] encodedCall() {
        return encodedCall;
    }
}
