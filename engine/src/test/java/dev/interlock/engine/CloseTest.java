// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LockHandle;
import dev.interlock.LossCause;
import dev.interlock.engine.InMemoryProtocol.Verb;
import dev.interlock.engine.Person.Call;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The end of a factory. */
class CloseTest extends EngineTest {
    private final Jvm one = jvm();
    private final Jvm two = jvm();
    private final Person closer = env.person("closer");

    @Test
    void itReleasesTellsAndFails() {
        List<LossCause> causes = new ArrayList<>();
        DistributedLock lock = one.lock();
        ann.does(lock::lock).value();
        Lease lease = ann.asks(lock::lease).value().orElseThrow();
        lease.onLoss(causes::add);
        Call<Void> queued = bob.does(one.lock()::lock);
        Call<Boolean> timed = cleo.asks(() -> one.lock().tryLock(1, java.util.concurrent.TimeUnit.HOURS));
        closer.does(one.engine()::close).value();
        assertThat(server.isFree(NAME)).isTrue();
        assertThat(causes).containsExactly(LossCause.FACTORY_CLOSED);
        assertThat(queued.failure()).isInstanceOf(IllegalStateException.class).hasMessageContaining("closed");
        assertThat(timed.failure()).isInstanceOf(IllegalStateException.class);
        assertThat(lease.isValid()).isFalse();
        assertThat(ann.does(lock::unlock).failure()).isInstanceOf(LeaseLostException.class);
        assertThat(env.elapsed()).isZero();
    }

    @Test
    void itUndoesWhatIsStillToBeUndone() {
        one.protocol().next(Verb.ATTEMPT, RequestFault.lostReply());
        one.protocol().next(Verb.RELEASE, RequestFault.unreachable());
        assertThat(ann.asks(one.lock()::tryLock).failure()).isInstanceOf(LockBackendException.class);
        assertThat(server.isFree(NAME)).as("the ghost").isFalse();
        closer.does(one.engine()::close).value();
        assertThat(server.isFree(NAME)).isTrue();
    }

    @Test
    void itWaitsForAReleaseThatIsOnItsWayInTheBackground() {
        one.protocol().next(Verb.ATTEMPT, RequestFault.lostReply());
        one.protocol().next(Verb.RELEASE, RequestFault.slowRequest(millis(500)));
        assertThat(ann.asks(one.lock()::tryLock).failure()).isInstanceOf(LockBackendException.class);
        Call<Void> close = closer.does(one.engine()::close);
        assertThat(close.isDone()).isFalse();
        env.advance(millis(500));
        close.value();
        assertThat(server.isFree(NAME)).isTrue();
    }

    @Test
    void oneLockThatCannotBeReleasedDoesNotKeepTheOthers() {
        for (int i = 0; i < 5; i++) {
            ann.does(one.engine().getLock("lock " + i)::lock).value();
        }
        one.protocol().next(Verb.RELEASE, RequestFault.refused());
        closer.does(one.engine()::close).value();
        assertThat(one.protocol().calls(Verb.RELEASE)).isEqualTo(5);
        server.delete("lock 0");
        server.delete("lock 1");
        server.delete("lock 2");
        server.delete("lock 3");
        server.delete("lock 4");
    }

    @Test
    void anInterruptMeanwhileIsPreservedAndDisturbsNothing() {
        one.protocol().next(Verb.ATTEMPT, RequestFault.slowReply(millis(900)));
        Call<Void> contender = ann.does(one.lock()::lock);
        Call<Void> close = closer.does(one.engine()::close);
        closer.interrupt();
        assertThat(close.isDone()).isFalse();
        env.advance(millis(900));
        close.value();
        assertThat(close.interruptedAfter()).isTrue();
        assertThat(contender.failure()).isInstanceOf(IllegalStateException.class);
        assertThat(server.isFree(NAME)).isTrue();
    }

    @Test
    void aSecondCloseHasNoEffect() {
        closer.does(one.engine()::close).value();
        closer.does(one.engine()::close).value();
        assertThat(one.protocol().timesClosed()).isOne();
        assertThat(one.engine().toString()).contains("closed");
    }

    @Test
    void aClosedFactoryGivesNoLocks() {
        DistributedLock lock = one.lock();
        closer.does(one.engine()::close).value();
        assertThat(ann.asks(() -> one.engine().getLock(NAME)).failure()).isInstanceOf(IllegalStateException.class);
        assertThat(ann.does(lock::lock).failure()).isInstanceOf(IllegalStateException.class);
        assertThat(ann.asks(lock::tryLock).failure()).isInstanceOf(IllegalStateException.class);
        assertThat(ann.asks(lock::acquire).failure()).isInstanceOf(IllegalStateException.class);
        assertThat(ann.asks(lock::getHoldCount).value()).isZero();
        assertThat(one.protocol().allCalls()).isZero();
    }

    @Test
    void aContenderThatWaitsFailsAtOnce() {
        server.steal(NAME, LEASE);
        Call<Void> waiting = ann.does(one.lock()::lock);
        env.advance(millis(100));
        closer.does(one.engine()::close).value();
        assertThat(waiting.failure()).isInstanceOf(IllegalStateException.class);
        assertThat(server.listeners()).isZero();
    }

    @Test
    void aRequestThatIsOnItsWayIsWaitedForAndItsGrantGivenBack() {
        one.protocol().next(Verb.ATTEMPT, RequestFault.slowReply(millis(900)));
        Call<Void> contender = ann.does(one.lock()::lock);
        Call<Void> close = closer.does(one.engine()::close);
        assertThat(close.isDone()).isFalse();
        env.advance(millis(900));
        close.value();
        assertThat(contender.failure()).isInstanceOf(IllegalStateException.class);
        assertThat(server.isFree(NAME)).isTrue();
    }

    @Test
    void aThreadThatIsHandedTheLockAndLosesItBeforeItRunsDoesNotAskAgain() {
        ann.does(one.lock()::lock).value();
        // A claim reserves a token for those who wait behind it when it is made, so bob can hand over.
        Call<Void> next = bob.does(one.lock()::lock);
        Call<Void> last = cleo.does(one.lock()::lock);
        ann.does(one.lock()::unlock).value();
        env.advance(millis(10));
        next.value();
        int asked = one.protocol().calls(Verb.ATTEMPT);
        env.oversleep(cleo, millis(100));
        bob.does(one.lock()::unlock).value();
        closer.does(one.engine()::close).value();
        assertThat(last.isDone()).as("the thread has run").isFalse();
        env.advance(millis(100));
        assertThat(last.failure()).isInstanceOf(IllegalStateException.class).hasMessageContaining("closed");
        assertThat(server.isFree(NAME)).isTrue();
        assertThat(one.protocol().calls(Verb.ATTEMPT)).isEqualTo(asked);
    }

    @Test
    void aThreadThatFoundItOpenAndRunsAgainAfterTheCloseDoesNotAsk() {
        // Starting the timer is the last step of an acquisition before it is visible.
        env.whenThreadIsMade("-timer", one.engine()::close);
        assertThat(ann.asks(one.lock()::tryLock).failure())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
        assertThat(one.protocol().timesClosed()).isOne();
        assertThat(server.isFree(NAME)).isTrue();
        assertThat(one.protocol().allCalls()).isZero();
    }

    @Test
    void aRequestThatNeverComesBackHoldsItUpForABoundedTime() {
        one.protocol().next(Verb.ATTEMPT, RequestFault.slowReply(seconds(100)));
        Call<Void> contender = ann.does(one.lock()::lock);
        Call<Void> close = closer.does(one.engine()::close);
        env.advance(seconds(6));
        close.value();
        env.advance(seconds(100));
        assertThat(contender.failure()).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aServerThatCannotBeReachedIsAskedOnceForAllLocks() {
        one.protocol().always(Verb.RELEASE, RequestFault.unreachable());
        List<LossCause> causes = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            DistributedLock lock = one.engine().getLock("lock " + i);
            ann.asks(lock::acquire).value().onLoss(causes::add);
        }
        closer.does(one.engine()::close).value();
        assertThat(one.protocol().calls(Verb.RELEASE)).isOne();
        assertThat(causes).hasSize(50).containsOnly(LossCause.FACTORY_CLOSED);
    }

    @Test
    void anErrorInAReleaseDoesNotKeepItFromClosing() {
        one.protocol().always(Verb.RELEASE, RequestFault.error());
        LockHandle lease = ann.asks(one.lock()::acquire).value();
        closer.does(one.engine()::close).value();
        assertThat(one.protocol().timesClosed()).isOne();
        assertThat(lease.isValid()).isFalse();
    }

    @Test
    void anActionThatIsRegisteredAfterwardsIsToldToo() {
        LockHandle lease = ann.asks(one.lock()::acquire).value();
        closer.does(one.engine()::close).value();
        List<LossCause> causes = new ArrayList<>();
        lease.onLoss(causes::add);
        env.settle();
        assertThat(causes).containsExactly(LossCause.FACTORY_CLOSED);
        assertThat(bob.does(lease::close).failure()).isInstanceOf(LeaseLostException.class);
        bob.does(lease::close).value();
    }

    @Test
    void itEndsItsThreads() {
        ann.does(one.lock()::lock).value();
        one.protocol().next(Verb.RELEASE, RequestFault.unreachable());
        ann.does(one.lock()::unlock).value();
        assertThat(env.threads()).extracting(name -> name.replaceAll(".*-", "")).contains("timer", "release");
        closer.does(one.engine()::close).value();
        assertThat(env.threads()).isEmpty();
    }

    @Test
    void itDoesNotTouchOtherFactories() {
        ann.does(two.lock()::lock).value();
        closer.does(one.engine()::close).value();
        env.advance(seconds(100));
        assertThat(ann.asks(two.lock()::isHeldByCurrentThread).value()).isTrue();
        ann.does(two.lock()::unlock).value();
    }

    @Test
    void anInterruptNeitherCutsItShortNorGetsLost() {
        ann.does(one.lock()::lock).value();
        Call<Void> close = closer.does(() -> {
            Thread.currentThread().interrupt();
            one.engine().close();
        });
        close.value();
        assertThat(close.interruptedAfter()).isTrue();
        assertThat(server.isFree(NAME)).isTrue();
    }

    @Test
    void noRequestBeginsAfterTheProtocolWasClosed() {
        Jvm slow = jvm(config -> config.commandTimeout(millis(500)));
        slow.protocol().always(Verb.ATTEMPT, RequestFault.lostRequest());
        slow.protocol().always(Verb.RELEASE, RequestFault.slowReply(millis(400)));
        List<Person> people = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            people.add(env.person("person " + i));
        }
        for (Person person : people) {
            DistributedLock lock =
                    slow.engine().getLock("lock " + person.thread().getName());
            person.prepares(lock::tryLock);
        }
        env.settle();
        Call<Void> close = closer.does(slow.engine()::close);
        env.advance(millis(1_600));
        close.value();
        env.advance(seconds(20));
        assertThat(slow.protocol().breaches()).isEmpty();
        assertThat(slow.protocol().calls(Verb.RELEASE)).isBetween(1, 19);
    }
}
