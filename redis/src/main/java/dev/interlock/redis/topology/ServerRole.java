// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.topology;

import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.client.Deadline;
import java.time.Duration;
import java.util.List;

/** Asks a server for its role by {@code HELLO}, which unlike {@code ROLE} needs no permission. */
final class ServerRole {
    private static final RedisCommand HELLO = RedisCommand.of("HELLO");

    private ServerRole() {}

    /**
     * Returns whether a server says that it is a primary.
     *
     * @throws dev.interlock.LockBackendException if it does not answer, or does not let us ask
     */
    static boolean isPrimary(RedisNode node, Deadline deadline) {
        Object reply = node.call(HELLO, Duration.ofNanos(Math.max(1, deadline.nanosLeft())));
        if (reply instanceof List<?> fields) {
            for (int i = 0; i + 1 < fields.size(); i += 2) {
                if ("role".equals(fields.get(i))) {
                    return "master".equals(fields.get(i + 1));
                }
            }
        }
        return false;
    }
}
