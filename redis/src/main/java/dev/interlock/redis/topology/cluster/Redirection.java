// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.topology.cluster;

import dev.interlock.redis.client.ServerError;
import dev.interlock.redis.endpoint.RedisEndpoint;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The reply of a node that is not responsible for a slot.
 *
 * @param slot the slot
 * @param target the node to ask
 * @param once whether to ask that node this time only, after {@code ASKING}
 */
record Redirection(int slot, RedisEndpoint target, boolean once) {
    private static final Pattern TEXT = Pattern.compile("(?s)(MOVED|ASK) (\\d{1,5}) (\\S*):(\\d{1,5})(\\s.*)?");

    /** Reads a redirection from an error; empty if the error is another one. */
    static Optional<Redirection> of(ServerError error, RedisEndpoint asked) {
        Matcher matcher = TEXT.matcher(error.text());
        if (!matcher.matches()) {
            return Optional.empty();
        }
        RedisEndpoint target = SlotTable.endpoint(matcher.group(3), Integer.parseInt(matcher.group(4)), asked);
        return Optional.of(new Redirection(
                Integer.parseInt(matcher.group(2)), target, matcher.group(1).equals("ASK")));
    }
}
