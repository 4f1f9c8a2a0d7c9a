// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import dev.interlock.LossCause;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.redis.LockKeys;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisNode;
import java.util.List;
import java.util.Optional;

/** What is done with a lock by a transaction, for servers on which scripts are not allowed. */
final class OwnedTransactions {
    private final RedisNode node;
    private final LockKeys keys;

    OwnedTransactions(RedisNode node, LockKeys keys) {
        this.node = node;
        this.keys = keys;
    }

    /** Carries out commands if the claim holds the lock, and returns why not if it does not. */
    Optional<LossCause> ifMine(Claim claim, RedisCommand... commands) {
        String holder =
                node.transactIfEqual(keys.lock(claim.name()), claim.token(), List.of(commands), claim.timeout());
        if (claim.token().equals(holder)) {
            return Optional.empty();
        }
        return Optional.of(holder == null ? LossCause.GONE : LossCause.TAKEN);
    }
}
