// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.redlock.joint.Configuration;
import dev.interlock.redlock.joint.Majorities;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** All combinations of servers that grant, refuse, or are down. */
class MasksTest {
    private enum Part {
        GIVES,
        REFUSES,
        IS_AWAY
    }

    @Test
    void aMajorityDecidesAndNothingIsLeftBehind() {
        playAllOn(3);
    }

    @Test
    @Tag("deep")
    void aMajorityOfMoreServersDecidesAndNothingIsLeftBehind() {
        playAllOn(5);
    }

    private static void playAllOn(int nodes) {
        try (Fixture redis = new Fixture(nodes)) {
            int parts = Part.values().length;
            for (int mask = 0; mask < Math.pow(parts, nodes); mask++) {
                List<Part> cast = new ArrayList<>();
                for (int i = 0, rest = mask; i < nodes; i++, rest /= parts) {
                    cast.add(Part.values()[rest % parts]);
                }
                // All combinations of two states, and all of three states where these are not too many.
                if (nodes == 3 || !cast.contains(Part.REFUSES) || !cast.contains(Part.IS_AWAY)) {
                    play(redis, cast, "mask-" + mask);
                }
            }
        }
    }

    private static void play(Fixture redis, List<Part> cast, String name) {
        List<Integer> giving = new ArrayList<>();
        List<Integer> refusing = new ArrayList<>();
        for (int i = 0; i < cast.size(); i++) {
            switch (cast.get(i)) {
                case GIVES -> giving.add(i);
                case REFUSES -> {
                    refusing.add(i);
                    redis.holdElsewhere(name, i);
                }
                case IS_AWAY -> redis.proxies.get(i).refuse();
            }
        }
        int majority = cast.size() / 2 + 1;
        // It is a matter of chance whether its refusal arrives before a majority has granted the lock.
        boolean outvoted = giving.size() >= majority && refusing.contains(lead(cast, name));
        try (DistributedLockFactory factory = redis.factory()) {
            DistributedLock lock = factory.getLock(name);
            if (giving.size() + refusing.size() < majority) {
                LockBackendException failure =
                        Assertions.catchThrowableOfType(LockBackendException.class, lock::tryLock);
                assertThat(failure).as("%s", cast).isNotNull();
                assertThat(failure.reason()).as("%s", cast).isEqualTo(Reason.UNREACHABLE);
                assertThat(failure).hasMessageContaining("cannot connect to ");
            } else {
                boolean held = lock.tryLock();
                assertThat(held || outvoted).as("%s", cast).isEqualTo(giving.size() >= majority);
                if (!held) {
                    redis.awaitTakenOn(name, refusing.toArray(Integer[]::new));
                    return;
                }
            }
            if (giving.size() >= majority) {
                redis.awaitTakenOn(name, all(cast));
                lock.unlock();
            }
            redis.awaitTakenOn(name, refusing.toArray(Integer[]::new));
        } finally {
            redis.proxies.forEach(proxy -> proxy.accept());
        }
    }

    private static int lead(List<Part> cast, String name) {
        List<String> servers =
                IntStream.range(0, cast.size()).mapToObj(Integer::toString).toList();
        Majorities majorities = Configuration.founding(servers).majorities();
        int lead = Quorum.first(name, majorities, node -> cast.get(node) != Part.IS_AWAY);
        return lead < 0 ? Quorum.first(name, majorities, node -> true) : lead;
    }

    private static Integer[] all(List<Part> cast) {
        List<Integer> present = new ArrayList<>();
        for (int i = 0; i < cast.size(); i++) {
            if (cast.get(i) != Part.IS_AWAY) {
                present.add(i);
            }
        }
        return present.toArray(Integer[]::new);
    }
}
