// SPDX-License-Identifier: Apache-2.0
package dev.interlock.specimens;

import dev.interlock.LossCause;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.redis.LockKeys;
import dev.interlock.redis.RedisNode;
import java.time.Duration;
import java.util.Optional;

/** Reads a bit and then sets it. Two clients can read before either sets; a crash leaves the bit set for ever. */
public final class SetbitGetbitStrategyProvider extends SpecimenProvider {
    public SetbitGetbitStrategyProvider() {
        super("setbit-getbit", Protocol::new);
    }

    private static final class Protocol extends SpecimenProtocol {
        Protocol(RedisNode node, LockKeys keys, Duration timeout) {
            super(node, keys, timeout);
        }

        @Override
        boolean isTaken(String key) {
            return isOne("GETBIT", key, "0");
        }

        @Override
        boolean take(String key, Claim claim) {
            if (isTaken(key)) {
                return false;
            }
            call("SETBIT", key, "0", "1");
            return true;
        }

        @Override
        Optional<LossCause> extend(String key, Claim claim) {
            return Optional.empty();
        }

        @Override
        Optional<LossCause> giveBack(String key, Claim claim) {
            call("SETBIT", key, "0", "0");
            return Optional.empty();
        }
    }
}
