// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLock;
import dev.interlock.LockBackendException;
import dev.interlock.LockHandle;
import dev.interlock.engine.InMemoryProtocol.Verb;
import dev.interlock.engine.Person.Call;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Each way to acquire, interrupted at each moment. */
class InterruptTest extends EngineTest {
    private final Jvm one = jvm();
    private final Jvm two = jvm();

    /** The ways to acquire, each with a way to give up what it acquired. */
    private enum Way {
        LOCK(false, true),
        LOCK_INTERRUPTIBLY(true, true),
        TRY_LOCK(false, false),
        TRY_LOCK_TIMED(true, true),
        TRY_LOCK_ZERO(true, false),
        ACQUIRE(true, true),
        TRY_ACQUIRE(true, true),
        TRY_ACQUIRE_ZERO(true, false);

        final boolean interruptible;
        final boolean waits;

        Way(boolean interruptible, boolean waits) {
            this.interruptible = interruptible;
            this.waits = waits;
        }

        /** Returns how to free the lock, or nothing if it was not acquired. */
        @Nullable
        AutoCloseable go(DistributedLock lock) throws InterruptedException {
            Optional<LockHandle> handle = Optional.empty();
            boolean locked = switch (this) {
                case LOCK -> {
                    lock.lock();
                    yield true;
                }
                case LOCK_INTERRUPTIBLY -> {
                    lock.lockInterruptibly();
                    yield true;
                }
                case TRY_LOCK -> lock.tryLock();
                case TRY_LOCK_TIMED -> lock.tryLock(1, TimeUnit.HOURS);
                case TRY_LOCK_ZERO -> lock.tryLock(0, TimeUnit.SECONDS);
                case ACQUIRE -> {
                    handle = Optional.of(lock.acquire());
                    yield false;
                }
                case TRY_ACQUIRE -> {
                    handle = lock.tryAcquire(seconds(3600));
                    yield false;
                }
                case TRY_ACQUIRE_ZERO -> {
                    handle = lock.tryAcquire(seconds(0));
                    yield false;
                }
            };
            return locked ? lock::unlock : handle.orElse(null);
        }
    }

    private Call<AutoCloseable> interruptedOnEntry(Way way) {
        return ann.asks(() -> {
            Thread.currentThread().interrupt();
            return way.go(one.lock());
        });
    }

    private void assertInterrupted(Call<?> call) {
        assertThat(call.failure()).isExactlyInstanceOf(InterruptedException.class);
        assertThat(call.interruptedAfter()).as("status after the exception").isFalse();
    }

    /** Asserts that a call which ignores interrupts has ended normally, and frees what it acquired. */
    private void assertNotInterrupted(Call<AutoCloseable> call, boolean acquired) {
        AutoCloseable held = call.value();
        assertThat(call.interruptedAfter()).as("status afterwards").isTrue();
        assertThat(held != null).as("acquired").isEqualTo(acquired);
        if (held != null) {
            ann.does(held::close).value();
        }
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void interruptedBeforeAFreeLock(Way way) {
        Call<AutoCloseable> call = interruptedOnEntry(way);
        if (way.interruptible) {
            assertInterrupted(call);
            assertThat(one.protocol().allCalls()).isZero();
        } else {
            assertNotInterrupted(call, true);
        }
        assertThat(server.isFree(NAME)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "LOCK, true", "LOCK, false",
        "LOCK_INTERRUPTIBLY, true", "LOCK_INTERRUPTIBLY, false",
        "TRY_LOCK, true", "TRY_LOCK, false",
        "TRY_LOCK_TIMED, true", "TRY_LOCK_TIMED, false",
        "TRY_LOCK_ZERO, true", "TRY_LOCK_ZERO, false",
        "ACQUIRE, true", "ACQUIRE, false",
        "TRY_ACQUIRE, true", "TRY_ACQUIRE, false",
        "TRY_ACQUIRE_ZERO, true", "TRY_ACQUIRE_ZERO, false"
    })
    void interruptedBeforeALockThatIsHeld(Way way, boolean heldHere) {
        Jvm holder = heldHere ? one : two;
        bob.does(holder.lock()::lock).value();
        Call<AutoCloseable> call = interruptedOnEntry(way);
        if (way.interruptible) {
            assertInterrupted(call);
            bob.does(holder.lock()::unlock).value();
        } else {
            assertThat(call.isDone()).isEqualTo(!way.waits);
            bob.does(holder.lock()::unlock).value();
            assertNotInterrupted(call, way.waits);
        }
        env.advance(seconds(2));
        assertThat(server.isFree(NAME)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "LOCK, true", "LOCK, false",
        "LOCK_INTERRUPTIBLY, true", "LOCK_INTERRUPTIBLY, false",
        "TRY_LOCK_TIMED, true", "TRY_LOCK_TIMED, false",
        "ACQUIRE, true", "ACQUIRE, false",
        "TRY_ACQUIRE, true", "TRY_ACQUIRE, false"
    })
    void interruptedWhileItWaits(Way way, boolean heldHere) {
        Jvm holder = heldHere ? one : two;
        bob.does(holder.lock()::lock).value();
        Call<AutoCloseable> call = ann.asks(() -> way.go(one.lock()));
        Call<Void> next = cleo.does(one.lock()::lock);
        env.advance(seconds(3));
        assertThat(call.isDone()).isFalse();
        ann.interrupt();
        if (way.interruptible) {
            assertInterrupted(call);
        } else {
            env.advance(seconds(3));
            assertThat(call.isDone()).isFalse();
        }
        bob.does(holder.lock()::unlock).value();
        env.advance(seconds(2));
        if (!way.interruptible) {
            assertNotInterrupted(call, true);
            env.advance(seconds(2));
        }
        next.value();
        cleo.does(one.lock()::unlock).value();
        assertThat(server.isFree(NAME)).isTrue();
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void interruptedWhileTheRequestThatWinsIsOnItsWay(Way way) {
        one.protocol().next(Verb.ATTEMPT, RequestFault.slowReply(millis(500)));
        Call<AutoCloseable> call = ann.asks(() -> way.go(one.lock()));
        Call<Void> next = cleo.does(one.lock()::lock);
        ann.interrupt();
        assertThat(call.isDone()).as("the request is waited for").isFalse();
        env.advance(millis(500));
        if (way.interruptible) {
            assertInterrupted(call);
        } else {
            assertNotInterrupted(call, true);
        }
        env.advance(seconds(2));
        next.value();
        cleo.does(one.lock()::unlock).value();
        assertThat(server.isFree(NAME)).isTrue();
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void interruptedWhileTheRequestThatIsRefusedIsOnItsWay(Way way) {
        bob.does(two.lock()::lock).value();
        one.protocol().next(Verb.ATTEMPT, RequestFault.slowReply(millis(500)));
        Call<AutoCloseable> call = ann.asks(() -> way.go(one.lock()));
        ann.interrupt();
        env.advance(millis(500));
        if (way.interruptible) {
            assertInterrupted(call);
            assertThat(one.protocol().calls(Verb.ATTEMPT)).isOne();
            bob.does(two.lock()::unlock).value();
        } else {
            assertThat(call.isDone()).isEqualTo(!way.waits);
            bob.does(two.lock()::unlock).value();
            assertNotInterrupted(call, way.waits);
        }
        assertThat(server.isFree(NAME)).isTrue();
        assertThat(server.listeners()).isZero();
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void interruptedWhileTheRequestThatFailsIsOnItsWay(Way way) {
        one.protocol().next(Verb.ATTEMPT, RequestFault.lostReply().before(millis(500)));
        Call<AutoCloseable> call = ann.asks(() -> way.go(one.lock()));
        ann.interrupt();
        env.advance(millis(500));
        assertThat(call.failure()).isInstanceOf(LockBackendException.class);
        assertThat(call.interruptedAfter())
                .as("nobody was told of the interrupt")
                .isTrue();
        assertThat(server.isFree(NAME)).isTrue();
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void interruptedInAMomentWithTheGrantInTheQueue(Way way) {
        bob.does(one.lock()::lock).value();
        Call<AutoCloseable> call = ann.asks(() -> way.go(one.lock()));
        Call<Void> next = cleo.does(one.lock()::lock);
        if (!way.waits) {
            assertThat(call.value()).isNull();
            bob.does(one.lock()::unlock).value();
        } else {
            bob.asks(() -> {
                        one.lock().unlock();
                        ann.thread().interrupt();
                        return null;
                    })
                    .value();
            if (way.interruptible) {
                assertInterrupted(call);
            } else {
                assertNotInterrupted(call, true);
            }
        }
        next.value();
        cleo.does(one.lock()::unlock).value();
        assertThat(server.isFree(NAME)).isTrue();
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void interruptedWhileTheLockIsYieldedToOthers(Way way) {
        Jvm fair = jvm(config -> config.localHandoffs(0));
        fair.protocol().confirmsListening = false;
        server.losesMessages = true;
        bob.does(fair.lock()::lock).value();
        Call<Void> elsewhere = cleo.does(two.lock()::lock);
        Call<AutoCloseable> call = ann.asks(() -> way.go(fair.lock()));
        if (way.waits) {
            bob.does(fair.lock()::unlock).value();
            assertThat(call.isDone()).isFalse();
            ann.interrupt();
            env.advance(millis(10));
            if (way.interruptible) {
                assertInterrupted(call);
            } else {
                assertNotInterrupted(call, true);
            }
        } else {
            bob.does(fair.lock()::unlock).value();
        }
        env.advance(seconds(1));
        elsewhere.value();
        cleo.does(two.lock()::unlock).value();
        assertThat(server.isFree(NAME)).isTrue();
    }

    @Test
    void aHolderIsInterruptedOnEntryToo() {
        ann.does(one.lock()::lock).value();
        assertInterrupted(interruptedOnEntry(Way.LOCK_INTERRUPTIBLY));
        assertInterrupted(interruptedOnEntry(Way.TRY_LOCK_TIMED));
        assertThat(ann.asks(one.lock()::getHoldCount).value()).isOne();
        assertNotInterrupted(interruptedOnEntry(Way.LOCK), true);
        assertThat(ann.asks(one.lock()::getHoldCount).value()).isOne();
        ann.does(one.lock()::unlock).value();
    }

    @Test
    void unlockIgnoresInterruptsAndPreservesThem() {
        ann.does(one.lock()::lock).value();
        Call<Void> unlocked = ann.does(() -> {
            Thread.currentThread().interrupt();
            one.lock().unlock();
        });
        unlocked.value();
        assertThat(unlocked.interruptedAfter()).isTrue();
        assertThat(server.isFree(NAME)).isTrue();
    }

    @Test
    void unlockIsNotCutShortByAnInterruptThatComesMeanwhile() {
        ann.does(one.lock()::lock).value();
        one.protocol().next(Verb.RELEASE, RequestFault.slowRequest(millis(500)));
        Call<Void> unlocked = ann.does(one.lock()::unlock);
        ann.interrupt();
        assertThat(unlocked.isDone()).isFalse();
        env.advance(millis(500));
        unlocked.value();
        assertThat(unlocked.interruptedAfter()).isTrue();
        assertThat(server.isFree(NAME)).isTrue();
    }

    @Test
    void aGrantThatAnInterruptMakesUselessIsGivenBackEvenIfTheReleaseFailsAtFirst() {
        one.protocol().next(Verb.ATTEMPT, RequestFault.slowReply(millis(500)));
        one.protocol().next(Verb.RELEASE, RequestFault.unreachable(), RequestFault.lostRequest());
        Call<Void> call = ann.does(one.lock()::lockInterruptibly);
        ann.interrupt();
        env.advance(millis(500));
        assertInterrupted(call);
        env.advance(seconds(1));
        assertThat(server.isFree(NAME)).isTrue();
    }
}
