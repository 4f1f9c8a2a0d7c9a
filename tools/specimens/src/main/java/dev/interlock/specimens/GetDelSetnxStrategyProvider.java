// SPDX-License-Identifier: Apache-2.0
package dev.interlock.specimens;

import dev.interlock.LossCause;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.redis.LockKeys;
import dev.interlock.redis.RedisNode;
import java.time.Duration;
import java.util.Optional;

/** Deletes a timestamp that has passed and sets a new one, so that a second contender deletes the first one's lock. */
public final class GetDelSetnxStrategyProvider extends SpecimenProvider {
    public GetDelSetnxStrategyProvider() {
        super("get-del-setnx", Protocol::new);
    }

    private static final class Protocol extends SpecimenProtocol {
        Protocol(RedisNode node, LockKeys keys, Duration timeout) {
            super(node, keys, timeout);
        }

        @Override
        boolean take(String key, Claim claim) {
            if (isOne("SETNX", key, value(claim))) {
                return true;
            }
            Object current = call("GET", key);
            if (current == null || until((String) current) > System.currentTimeMillis()) {
                return false;
            }
            call("DEL", key);
            return isOne("SETNX", key, value(claim));
        }

        @Override
        Optional<LossCause> extend(String key, Claim claim) {
            return lossOf(key, claim, () -> call("SET", key, value(claim)));
        }

        @Override
        Optional<LossCause> giveBack(String key, Claim claim) {
            return lossOf(key, claim, () -> call("DEL", key));
        }

        private Optional<LossCause> lossOf(String key, Claim claim, Runnable unlessLost) {
            Object current = call("GET", key);
            if (current == null) {
                return Optional.of(LossCause.GONE);
            }
            if (!((String) current).endsWith(claim.token())) {
                return Optional.of(LossCause.TAKEN);
            }
            if (until((String) current) <= System.currentTimeMillis()) {
                return Optional.of(LossCause.GONE);
            }
            unlessLost.run();
            return Optional.empty();
        }

        private static String value(Claim claim) {
            return System.currentTimeMillis() + claim.lease().toMillis() + " " + claim.token();
        }

        private static long until(String value) {
            return Long.parseLong(value.substring(0, value.indexOf(" ")));
        }
    }
}
