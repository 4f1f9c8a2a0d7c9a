// SPDX-License-Identifier: Apache-2.0
package dev.interlock.specimens;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockConfig;
import dev.interlock.LockOptions;
import dev.interlock.LossCause;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.Watch;
import dev.interlock.redis.LockKeys;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisNode;
import dev.interlock.spi.Capability;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** Locks on a real server that are wrong only, or mostly, among several processes. */
public final class ProcessSpecimens {
    private ProcessSpecimens() {}

    /** A correct lock by SET NX PX and transactions, which the other classes break. */
    static class Sound extends SpecimenProtocol {
        Sound(RedisNode node, LockKeys keys, Duration timeout) {
            super(node, keys, timeout);
        }

        @Override
        boolean take(String key, Claim claim) {
            return call("SET", key, claim.token(), "NX", "PX", millis(claim)) != null
                    || claim.token().equals(call("GET", key));
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

    /** Each process has keys of its own. */
    public static final class KeyPerProcess extends SpecimenProvider {
        public KeyPerProcess() {
            super("key-per-process", Protocol::new);
        }

        private static final class Protocol extends Sound {
            private static final String PID = ":" + ProcessHandle.current().pid();

            Protocol(RedisNode node, LockKeys keys, Duration timeout) {
                super(node, keys, timeout);
            }

            @Override
            boolean take(String key, Claim claim) {
                return super.take(key + PID, claim);
            }

            @Override
            Optional<LossCause> extend(String key, Claim claim) {
                return super.extend(key + PID, claim);
            }

            @Override
            Optional<LossCause> giveBack(String key, Claim claim) {
                return super.giveBack(key + PID, claim);
            }
        }
    }

    /** The owner token is the id of the thread, as if there were only one process. */
    public static final class ThreadIdIsOwner extends SpecimenProvider {
        public ThreadIdIsOwner() {
            super("thread-id-is-owner", Protocol::new);
        }

        private static class Protocol extends Sound {
            private final Map<String, Claim> owners = new ConcurrentHashMap<>();

            Protocol(RedisNode node, LockKeys keys, Duration timeout) {
                super(node, keys, timeout);
            }

            String owner() {
                return "thread " + Thread.currentThread().getId();
            }

            private Claim owner(Claim claim) {
                return owners.computeIfAbsent(
                        claim.token(),
                        token -> new Claim(claim.name(), owner(), claim.lease(), claim.timeout(), claim.fences()));
            }

            @Override
            boolean take(String key, Claim claim) {
                return super.take(key, owner(claim));
            }

            @Override
            Optional<LossCause> extend(String key, Claim claim) {
                return super.extend(key, owner(claim));
            }

            @Override
            Optional<LossCause> giveBack(String key, Claim claim) {
                return super.giveBack(key, owner(claim));
            }
        }
    }

    /** The owner token is the number of the client in its process and the id of the thread. */
    public static final class ClientNumberIsOwner extends SpecimenProvider {
        public ClientNumberIsOwner() {
            super("client-number-is-owner", Protocol::new);
        }

        private static final class Protocol extends ThreadIdIsOwner.Protocol {
            private static final AtomicLong CLIENTS = new AtomicLong();

            private final long client = CLIENTS.incrementAndGet();

            Protocol(RedisNode node, LockKeys keys, Duration timeout) {
                super(node, keys, timeout);
            }

            @Override
            String owner() {
                return "client " + client + " " + super.owner();
            }
        }
    }

    /** Waiting clients stand in a list, which a client that dies never leaves. */
    public static final class DeadWaitersQueue extends SpecimenProvider {
        public DeadWaitersQueue() {
            super("dead-waiters-queue", Protocol::new);
        }

        private static final class Protocol extends Sound {
            private final String client = UUID.randomUUID().toString();

            Protocol(RedisNode node, LockKeys keys, Duration timeout) {
                super(node, keys, timeout);
            }

            private static String queue(String key) {
                return key + ":waiting";
            }

            @Override
            boolean take(String key, Claim claim) {
                Object first = call("LINDEX", queue(key), "0");
                return (first == null || first.equals(client)) && super.take(key, claim);
            }

            @Override
            public Watch watch(String name, Runnable onFreed) {
                String queue = queue(keys.lock(name));
                call("RPUSH", queue, client);
                return () -> call("LREM", queue, "1", client);
            }
        }
    }

    /** Fencing tokens are made of the start time of the process and a counter within it. */
    public static final class FenceFromStartTime extends SpecimenProvider {
        public FenceFromStartTime() {
            super("fence-from-start-time", Protocol::new, Capability.FENCING);
        }

        private static final class Protocol extends Sound {
            private static final int COUNTER_BITS = 20;
            private static final AtomicLong NEXT = new AtomicLong(
                    ProcessHandle.current().info().startInstant().orElseThrow().toEpochMilli() << COUNTER_BITS);

            Protocol(RedisNode node, LockKeys keys, Duration timeout) {
                super(node, keys, timeout);
            }

            @Override
            OptionalLong fence(Claim claim) {
                return OptionalLong.of(NEXT.getAndAdd(claim.fences()));
            }
        }
    }

    /** Renewals are promised, and only recorded within the process. */
    public static final class RenewedLocally extends SpecimenProvider {
        public RenewedLocally() {
            super("renewed-locally", Protocol::new);
        }

        private static final class Protocol extends Sound {
            Protocol(RedisNode node, LockKeys keys, Duration timeout) {
                super(node, keys, timeout);
            }

            @Override
            Optional<LossCause> extend(String key, Claim claim) {
                return Optional.empty();
            }
        }
    }

    /** A renewal extends the lease on the server to three times what it should be. */
    public static final class RenewedForTooLong extends SpecimenProvider {
        public RenewedForTooLong() {
            super("renewed-for-too-long", Protocol::new);
        }

        private static final class Protocol extends Sound {
            Protocol(RedisNode node, LockKeys keys, Duration timeout) {
                super(node, keys, timeout);
            }

            @Override
            Optional<LossCause> extend(String key, Claim claim) {
                return super.extend(key, claim.withLease(claim.lease().multipliedBy(3)));
            }
        }
    }

    /** Releases are announced within the process only, and waiters ask again only when the lease ends. */
    public static final class HearsItsOwnProcess extends SpecimenProvider {
        public HearsItsOwnProcess() {
            super("hears-its-own-process", Protocol::new);
        }

        @Override
        LockConfig change(LockConfig config) {
            return config.toBuilder().waitCeiling(Duration.ofHours(1)).build();
        }

        private static final class Protocol extends Sound {
            private static final Map<Runnable, String> LISTENERS = new ConcurrentHashMap<>();

            Protocol(RedisNode node, LockKeys keys, Duration timeout) {
                super(node, keys, timeout);
            }

            @Override
            Optional<Duration> retryAfter(String key) {
                return Optional.of(Duration.ofMillis(call("PTTL", key) instanceof Long left ? Math.max(1, left) : 1));
            }

            @Override
            Optional<LossCause> giveBack(String key, Claim claim) {
                Optional<LossCause> loss = super.giveBack(key, claim);
                LISTENERS.forEach((onFreed, heard) -> {
                    if (heard.equals(key)) {
                        onFreed.run();
                    }
                });
                return loss;
            }

            @Override
            public Watch watch(String name, Runnable onFreed) {
                LISTENERS.put(onFreed, keys.lock(name));
                onFreed.run();
                return () -> LISTENERS.remove(onFreed);
            }
        }
    }

    /** Each read of a lease's fencing token draws a new one from the clock. */
    public static final class TokenOfTheMoment extends SpecimenProvider {
        public TokenOfTheMoment() {
            super("token-of-the-moment", Protocol::new, Capability.FENCING);
        }

        private static long now() {
            return System.currentTimeMillis();
        }

        @Override
        DistributedLockFactory spoil(DistributedLockFactory correct) {
            return withLeases(correct, lease -> new ForwardingLease(lease) {
                @Override
                public OptionalLong fencingToken() {
                    return OptionalLong.of(now());
                }
            });
        }

        private static final class Protocol extends Sound {
            Protocol(RedisNode node, LockKeys keys, Duration timeout) {
                super(node, keys, timeout);
            }

            @Override
            OptionalLong fence(Claim claim) {
                return OptionalLong.of(now());
            }
        }
    }

    /** A lock over several names is acquired name by name, and those before the last are not looked at again. */
    public static final class NamesTakenAreBelieved extends SpecimenProvider {
        public NamesTakenAreBelieved() {
            super("names-taken-are-believed", Sound::new, Capability.SEVERAL_NAMES);
        }

        @Override
        DistributedLockFactory spoil(DistributedLockFactory correct) {
            return new ForwardingFactory(correct) {
                @Override
                public DistributedLock getLock(Collection<String> names, LockOptions options) {
                    List<DistributedLock> parts = names.stream()
                            .sorted()
                            .map(name -> correct.getLock(name, options))
                            .toList();
                    return new ForwardingLock(correct.getLock(names, options)) {
                        @Override
                        public void lock() {
                            parts.forEach(DistributedLock::lock);
                        }

                        @Override
                        public Optional<Lease> lease() {
                            return parts.get(parts.size() - 1).lease();
                        }
                    };
                }
            };
        }
    }

    /** Unlocking deletes the key even if the lease was lost, and with it the lock of the next holder. */
    public static final class UnlockDeletesTheKey extends SpecimenProvider {
        public UnlockDeletesTheKey() {
            super("unlock-deletes-the-key", Sound::new);
        }

        @Override
        DistributedLockFactory spoil(DistributedLockFactory correct, SpecimenProtocol protocol) {
            return new ForwardingFactory(correct) {
                @Override
                protected DistributedLock spoil(DistributedLock lock) {
                    return new ForwardingLock(lock) {
                        @Override
                        public void unlock() {
                            try {
                                super.unlock();
                            } catch (LeaseLostException e) {
                                protocol.call("DEL", protocol.keys.lock(name()));
                                throw e;
                            }
                        }
                    };
                }
            };
        }
    }

    /** A listener is told of a loss, and a little later told again. */
    public static final class ToldTwice extends SpecimenProvider {
        public ToldTwice() {
            super("told-twice", Sound::new);
        }

        @Override
        DistributedLockFactory spoil(DistributedLockFactory correct) {
            return withLeases(correct, lease -> new ForwardingLease(lease) {
                @Override
                public Registration onLoss(Consumer<? super LossCause> action) {
                    super.onLoss(action);
                    return super.onLoss(cause -> {
                        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(40));
                        action.accept(cause);
                    });
                }
            });
        }
    }

    private static DistributedLockFactory withLeases(DistributedLockFactory correct, UnaryOperator<Lease> spoiler) {
        return new ForwardingFactory(correct) {
            @Override
            protected DistributedLock spoil(DistributedLock lock) {
                return new ForwardingLock(lock) {
                    @Override
                    protected Lease spoil(Lease lease) {
                        return spoiler.apply(lease);
                    }
                };
            }
        };
    }
}
