// SPDX-License-Identifier: Apache-2.0
package dev.interlock.specimens;

import dev.interlock.LossCause;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.ConditionProtocol;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Watch;
import dev.interlock.redis.LockKeys;
import dev.interlock.redis.RedisNode;
import dev.interlock.spi.Capability;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Locks on a real server whose conditions are wrong where several processes meet. */
public final class ConditionSpecimens {
    private ConditionSpecimens() {}

    /** Waiters stand in a list, from which a signal removes the first, even if that one is dead. */
    public static final class SignalsForTheDead extends SpecimenProvider {
        public SignalsForTheDead() {
            super("signals-for-the-dead", Listed::new, Capability.CONDITIONS);
        }
    }

    /** Each process has its own lists of waiters. */
    public static final class ConditionsPerProcess extends SpecimenProvider {
        public ConditionsPerProcess() {
            super("conditions-per-process", Protocol::new, Capability.CONDITIONS);
        }

        private static final class Protocol extends Listed {
            Protocol(RedisNode node, LockKeys keys, Duration timeout) {
                super(node, keys, timeout);
            }

            @Override
            String list(String name, String condition) {
                return super.list(name, condition) + ":"
                        + ProcessHandle.current().pid();
            }
        }
    }

    /** Signals are sent with the release. */
    public static final class SignalsWithTheRelease extends SpecimenProvider {
        public SignalsWithTheRelease() {
            super("signals-with-the-release", Protocol::new, Capability.CONDITIONS);
        }

        private static final class Protocol extends Listed {
            private final Map<String, List<String>> signals = new ConcurrentHashMap<>();

            Protocol(RedisNode node, LockKeys keys, Duration timeout) {
                super(node, keys, timeout);
            }

            @Override
            void signal(String name, String condition) {
                signals.computeIfAbsent(keys.lock(name), key -> new ArrayList<>())
                        .add(condition);
            }

            @Override
            Optional<LossCause> giveBack(String key, Claim claim) {
                List<String> due = signals.remove(key);
                if (due != null) {
                    due.forEach(condition -> super.signal(claim.name(), condition));
                }
                return super.giveBack(key, claim);
            }
        }
    }

    /**
     * A signal that is not acted on within a second goes to the next waiter as well, and whoever was signalled takes
     * the lock for its own.
     */
    public static final class SignalsBelievedLate extends SpecimenProvider {
        public SignalsBelievedLate() {
            super("signals-believed-late", Protocol::new, Capability.CONDITIONS);
        }

        private static final class Protocol extends Listed {
            Protocol(RedisNode node, LockKeys keys, Duration timeout) {
                super(node, keys, timeout);
            }

            private String sent(String name, String condition) {
                return list(name, condition) + ":sent";
            }

            private String fresh(String name, String condition) {
                return list(name, condition) + ":fresh";
            }

            @Override
            void signal(String name, String condition) {
                super.signal(name, condition);
                call("SET", sent(name, condition), "1");
                call("SET", fresh(name, condition), "1", "PX", "1000");
            }

            @Override
            public Place look(Claim waiter) {
                String condition = waiter.condition().orElseThrow();
                Place place = super.look(waiter);
                if (place == Place.WAITING
                        && call("EXISTS", fresh(waiter.name(), condition)) instanceof Long fresh
                        && fresh == 0
                        && isOne("DEL", sent(waiter.name(), condition))) {
                    return leave(waiter, false) == Place.WAITING ? Place.SIGNALLED : place;
                }
                return place;
            }

            @Override
            boolean take(String key, Claim claim) {
                return super.take(key, claim) || claim.condition().isPresent();
            }
        }
    }

    private static class Listed extends ProcessSpecimens.Sound implements ConditionProtocol {
        private static final ScheduledExecutorService POLLER = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "specimen-poller");
            thread.setDaemon(true);
            return thread;
        });

        private static final String WAITS = "waits";

        Listed(RedisNode node, LockKeys keys, Duration timeout) {
            super(node, keys, timeout);
        }

        String list(String name, String condition) {
            return keys.condition(name, condition);
        }

        private String list(Claim waiter) {
            return list(waiter.name(), waiter.condition().orElseThrow());
        }

        private String state(Claim waiter) {
            return keys.condition(waiter.name(), "of " + waiter.token());
        }

        @Override
        public Optional<ConditionProtocol> conditions() {
            return Optional.of(this);
        }

        @Override
        public Watch listen(Claim waiter, Runnable onChange) {
            var polling = POLLER.scheduleWithFixedDelay(onChange, 5, 5, TimeUnit.MILLISECONDS);
            return () -> polling.cancel(false);
        }

        @Override
        public Release await(Claim held, Claim waiter, boolean releases) {
            call("SET", state(waiter), WAITS);
            call("RPUSH", list(waiter), state(waiter));
            return releases ? release(held) : new Release.Freed(true);
        }

        @Override
        public boolean isTold(Claim waiter) {
            return false;
        }

        @Override
        public Place look(Claim waiter) {
            return WAITS.equals(call("GET", state(waiter))) ? Place.WAITING : Place.SIGNALLED;
        }

        @Override
        public Place leave(Claim waiter, boolean passesOn) {
            boolean waited = isOne("LREM", list(waiter), "1", state(waiter));
            call("DEL", state(waiter));
            return waited ? Place.WAITING : Place.SIGNALLED;
        }

        @Override
        public void adopt(Claim held, Claim waiter) {}

        @Override
        public Optional<LossCause> signal(Claim held, String condition, boolean all) {
            signal(held.name(), condition);
            return Optional.empty();
        }

        void signal(String name, String condition) {
            Object state = call("LPOP", list(name, condition));
            if (state != null) {
                call("DEL", state.toString());
            }
        }
    }
}
