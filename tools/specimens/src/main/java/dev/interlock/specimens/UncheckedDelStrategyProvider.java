// SPDX-License-Identifier: Apache-2.0
package dev.interlock.specimens;

import dev.interlock.LossCause;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.redis.LockKeys;
import dev.interlock.redis.RedisNode;
import java.time.Duration;
import java.util.Optional;

/**
 * Sets the key with a time to live in one step, but deletes it without a check, even if another client holds the lock
 * by then.
 */
public final class UncheckedDelStrategyProvider extends SpecimenProvider {
    public UncheckedDelStrategyProvider() {
        super("unchecked-del", Protocol::new);
    }

    private static final class Protocol extends SpecimenProtocol {
        Protocol(RedisNode node, LockKeys keys, Duration timeout) {
            super(node, keys, timeout);
        }

        @Override
        boolean take(String key, Claim claim) {
            return call("SET", key, claim.token(), "NX", "PX", millis(claim)) != null
                    || claim.token().equals(call("GET", key));
        }

        @Override
        Optional<LossCause> extend(String key, Claim claim) {
            return isOne("PEXPIRE", key, millis(claim)) ? Optional.empty() : Optional.of(LossCause.GONE);
        }

        @Override
        Optional<LossCause> giveBack(String key, Claim claim) {
            call("DEL", key);
            return Optional.empty();
        }
    }
}
