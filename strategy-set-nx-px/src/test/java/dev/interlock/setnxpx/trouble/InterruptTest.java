// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx.trouble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.interlock.DistributedLock;
import dev.interlock.setnxpx.Fixture;
import dev.interlock.setnxpx.OnChosenClients;
import dev.interlock.testservers.CommandMonitor;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The interrupt contract of {@link java.util.concurrent.locks.Lock}, with a real server that is free, taken or silent.
 */
class InterruptTest extends OnChosenClients {
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(30);

    DistributedLock lock;
    final AtomicReference<Thread> actor = new AtomicReference<>();

    @BeforeEach
    void prepare() {
        var factory = redis.factory(config -> config.commandTimeout(COMMAND_TIMEOUT));
        Fixture.warmUp(factory);
        lock = factory.getLock("interrupted");
    }

    /** The four ways in, and whether an interrupt ends them. */
    enum Way {
        LOCK(false) {
            @Override
            boolean enter(DistributedLock lock) {
                lock.lock();
                return true;
            }
        },
        LOCK_INTERRUPTIBLY(true) {
            @Override
            boolean enter(DistributedLock lock) throws InterruptedException {
                lock.lockInterruptibly();
                return true;
            }
        },
        TRY_LOCK(false) {
            @Override
            boolean enter(DistributedLock lock) {
                return lock.tryLock();
            }
        },
        TIMED_TRY_LOCK(true) {
            @Override
            boolean enter(DistributedLock lock) throws InterruptedException {
                return lock.tryLock(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
        };

        final boolean interruptible;

        Way(boolean interruptible) {
            this.interruptible = interruptible;
        }

        abstract boolean enter(DistributedLock lock) throws InterruptedException;
    }

    /** How a way in ended. */
    record End(String how, boolean interrupted, boolean held) {}

    private FutureTask<End> enter(Way way, boolean interruptedBefore) {
        return Fixture.start(entering(way, interruptedBefore));
    }

    private Callable<End> entering(Way way, boolean interruptedBefore) {
        return () -> {
            actor.set(Thread.currentThread());
            if (interruptedBefore) {
                Thread.currentThread().interrupt();
            }
            String how;
            try {
                how = way.enter(lock) ? "true" : "false";
            } catch (InterruptedException e) {
                how = "interrupted";
            }
            End end = new End(how, Thread.interrupted(), lock.isHeldByCurrentThread());
            if (end.held) {
                lock.unlock();
            }
            return end;
        };
    }

    private static End get(FutureTask<End> task) throws Exception {
        return task.get(2 * Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void interruptedBeforeAFreeLock(Way way) throws Exception {
        try (CommandMonitor monitor = redis.server.monitor()) {
            End end = get(enter(way, true));
            monitor.sync();
            if (way.interruptible) {
                assertThat(end).isEqualTo(new End("interrupted", false, false));
                assertThat(monitor.commands()).isEmpty();
            } else {
                assertThat(end).isEqualTo(new End("true", true, true));
            }
        }
        assertThat(redis.isTaken("interrupted")).isFalse();
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void interruptedBeforeATakenLock(Way way) throws Exception {
        redis.holdElsewhere("interrupted");
        FutureTask<End> task = enter(way, true);
        if (way == Way.LOCK) {
            redis.awaitWaiters("interrupted", 1);
            redis.server.command("DEL", Fixture.key("interrupted"));
        }
        assertThat(get(task))
                .isEqualTo(
                        switch (way) {
                            case LOCK -> new End("true", true, true);
                            case TRY_LOCK -> new End("false", true, false);
                            default -> new End("interrupted", false, false);
                        });
        assertNothingOfOursIsLeft(way);
    }

    @ParameterizedTest
    @EnumSource(value = Way.class, mode = EnumSource.Mode.EXCLUDE, names = "TRY_LOCK")
    void interruptedWhileWaitingForATakenLock(Way way) throws Exception {
        redis.holdElsewhere("interrupted");
        FutureTask<End> task = enter(way, false);
        redis.awaitWaiters("interrupted", 1);
        actor.get().interrupt();
        if (way == Way.LOCK) {
            redis.server.command("DEL", Fixture.key("interrupted"));
            assertThat(get(task)).isEqualTo(new End("true", true, true));
        } else {
            assertThat(get(task)).isEqualTo(new End("interrupted", false, false));
        }
        assertNothingOfOursIsLeft(way);
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void interruptedWhileARequestIsInFlight(Way way) throws Exception {
        redis.server.pause();
        assertInterruptedInFlight(way, enter(way, false));
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void aVirtualThreadInterruptedWhileItsRequestIsInFlight(Way way) throws Exception {
        assumeTrue(Runtime.version().feature() >= 21, "virtual threads came with Java 21");
        redis.server.pause();
        assertInterruptedInFlight(way, Fixture.startVirtual(entering(way, false)));
    }

    private void assertInterruptedInFlight(Way way, FutureTask<End> task) throws Exception {
        await().atMost(Fixture.PATIENCE).until(() -> isWaitingForTheServer(actor.get()));
        actor.get().interrupt();
        redis.server.resume();
        if (way.interruptible) {
            assertThat(get(task)).isEqualTo(new End("interrupted", false, false));
        } else {
            assertThat(get(task)).isEqualTo(new End("true", true, true));
        }
        await().atMost(Fixture.PATIENCE).until(() -> !redis.isTaken("interrupted"));
    }

    @Test
    void unlockIsNotDisturbedByAnInterrupt() throws Exception {
        FutureTask<End> task = Fixture.start(() -> {
            lock.lock();
            Thread.currentThread().interrupt();
            lock.unlock();
            return new End("true", Thread.interrupted(), lock.isHeldByCurrentThread());
        });
        assertThat(get(task)).isEqualTo(new End("true", true, false));
        assertThat(redis.isTaken("interrupted")).isFalse();
    }

    private void assertNothingOfOursIsLeft(Way way) {
        if (way != Way.LOCK) {
            assertThat(redis.server.command("GET", Fixture.key("interrupted"))).isEqualTo("somebody-else");
            redis.server.command("DEL", Fixture.key("interrupted"));
        }
        redis.awaitWaiters("interrupted", 0);
        assertThat(redis.isTaken("interrupted")).isFalse();
    }

    /** Returns whether a thread reads from a socket or waits for one that does, as far as its stack tells. */
    private static boolean isWaitingForTheServer(Thread thread) {
        if (thread == null) {
            return false;
        }
        StackTraceElement[] frames = thread.getStackTrace();
        boolean parked = thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING;
        return frames.length > 0
                && (parked || frames[0].isNativeMethod())
                && Arrays.stream(frames).anyMatch(frame -> frame.getMethodName().equals("callOrUndo"));
    }
}
