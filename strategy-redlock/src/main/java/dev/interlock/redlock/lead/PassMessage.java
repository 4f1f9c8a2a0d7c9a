// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.lead;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The contents of a message that a root was passed on.
 *
 * @param hop how often it was passed on
 * @param deadlineMicros the time until which its new owner may hold it, by the clock of the lead
 * @param firstFence the first fencing token of the new owner, or zero
 * @param digest tells roots apart, see {@link #digest}
 * @param epoch the number of the subscription over which the message came
 */
public record PassMessage(int hop, long deadlineMicros, long firstFence, String digest, int epoch) {
    /**
     * Returns a digest by which clients that know a root recognize it.
     *
     * @param root the token
     * @return a digest, from which the token cannot be found
     */
    public static String digest(String root) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-1")
                            .digest(("root " + root).getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-1", e);
        }
    }
}
