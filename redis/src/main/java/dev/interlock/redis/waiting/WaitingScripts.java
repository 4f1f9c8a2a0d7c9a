// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.waiting;

import dev.interlock.redis.LuaScript;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.stream.Collectors;

/** The parts of scripts that enter waiters in a queue and send them messages, and the proof that a message carries. */
public final class WaitingScripts {
    /** Defines the commands of channels that belong to a whole server. */
    public static final String CHANNELS = "channels.lua";

    /** The same for channels that belong to the servers of their slots. */
    public static final String SHARDED_CHANNELS = "sharded-channels.lua";

    /** Defines {@code micros()} and {@code draw(fence, count, life, now)}. */
    public static final String FENCE = "fence.lua";

    /**
     * Defines {@code parts(waiter)}, {@code listeners(channel)}, {@code first_there(list, asker)} and
     * {@code send(token, channel, text)}.
     */
    public static final String QUEUE = "queue.lua";

    private WaitingScripts() {}

    /**
     * Returns the source of some of these parts.
     *
     * @param parts their names, in the order in which they follow each other
     * @return the source
     */
    public static String source(String... parts) {
        return Arrays.stream(parts)
                .map(part -> LuaScript.load(WaitingScripts.class, part).source())
                .collect(Collectors.joining());
    }

    /**
     * Returns the digest that proves that a script has sent a text to a claim: nobody else knows the token.
     *
     * @param token the token of the claim
     * @param text what the message says
     * @return the proof, which tells nothing of the token
     */
    public static String proof(String token, String text) {
        try {
            byte[] proven = (text + " " + token).getBytes(StandardCharsets.UTF_8);
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(proven));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-1", e);
        }
    }
}
