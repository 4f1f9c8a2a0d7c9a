// SPDX-License-Identifier: Apache-2.0
package dev.interlock.specimens;

import dev.interlock.LossCause;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.redis.LockKeys;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisNode;
import java.time.Duration;
import java.util.Optional;

/**
 * A widely copied lock: SETNX, then EXPIRE in whole seconds, which a contender repairs if it is missing, and a release
 * by WATCH.
 */
public final class SetnxWatchStrategyProvider extends SpecimenProvider {
    public SetnxWatchStrategyProvider() {
        super("setnx-watch", Protocol::new);
    }

    private static final class Protocol extends SpecimenProtocol {
        Protocol(RedisNode node, LockKeys keys, Duration timeout) {
            super(node, keys, timeout);
        }

        @Override
        boolean take(String key, Claim claim) {
            if (isOne("SETNX", key, claim.token())) {
                call("EXPIRE", key, seconds(claim));
                return true;
            }
            if (Long.valueOf(-1).equals(call("TTL", key))) {
                call("EXPIRE", key, seconds(claim));
            }
            return false;
        }

        @Override
        Optional<LossCause> extend(String key, Claim claim) {
            return ifMine(key, claim, RedisCommand.of("EXPIRE", key, seconds(claim)));
        }

        @Override
        Optional<LossCause> giveBack(String key, Claim claim) {
            return ifMine(key, claim, RedisCommand.of("DEL", key));
        }

        private static String seconds(Claim claim) {
            return Long.toString(claim.lease().toSeconds());
        }
    }
}
