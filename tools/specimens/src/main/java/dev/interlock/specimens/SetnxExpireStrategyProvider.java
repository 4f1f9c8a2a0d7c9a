// SPDX-License-Identifier: Apache-2.0
package dev.interlock.specimens;

import dev.interlock.LossCause;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.redis.LockKeys;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisNode;
import java.time.Duration;
import java.util.Optional;

/** SETNX, then the time to live in a second step, which a crash in between skips. */
public final class SetnxExpireStrategyProvider extends SpecimenProvider {
    public SetnxExpireStrategyProvider() {
        super("setnx-expire", Protocol::new);
    }

    private static final class Protocol extends SpecimenProtocol {
        Protocol(RedisNode node, LockKeys keys, Duration timeout) {
            super(node, keys, timeout);
        }

        @Override
        boolean take(String key, Claim claim) {
            if (!isOne("SETNX", key, claim.token())) {
                return claim.token().equals(call("GET", key));
            }
            call("PEXPIRE", key, millis(claim));
            return true;
        }

        @Override
        Optional<LossCause> extend(String key, Claim claim) {
            return ifMine(key, claim, RedisCommand.of("PEXPIRE", key, millis(claim)));
        }

        @Override
        Optional<LossCause> giveBack(String key, Claim claim) {
            return ifMine(key, claim, RedisCommand.of("DEL", key));
        }
    }
}
