// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.interlock.DistributedLock;
import dev.interlock.LockBackendException;
import dev.interlock.LockConfig;
import dev.interlock.LockHandle;
import dev.interlock.engine.InMemoryProtocol.Verb;
import dev.interlock.engine.Person.Call;
import dev.interlock.engine.threads.AsyncAcquisition;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Acquisitions for callers who do not wait. */
class AsyncAcquisitionTest extends EngineTest {

    private final Jvm one = jvm();
    private final DistributedLock lock = one.lock();

    private static boolean isCarrier(String threadName) {
        return threadName.endsWith("-acquisition");
    }

    private static CompletableFuture<LockHandle> acquire(Jvm jvm) {
        return jvm.lock().acquireAsync().toCompletableFuture();
    }

    private static CompletableFuture<Optional<LockHandle>> tryAcquire(Jvm jvm, Duration wait) {
        return jvm.lock().tryAcquireAsync(wait).toCompletableFuture();
    }

    private CompletableFuture<LockHandle> acquired(Person person) {
        CompletableFuture<LockHandle> stage = person.asks(() -> acquire(one)).value();
        env.settle();
        return stage;
    }

    /** The result, if there is one by now: nobody but the test lets the threads run, so it must not wait. */
    private static <T> T result(CompletableFuture<T> stage) {
        assertThat(stage).isDone();
        return stage.join();
    }

    private static Throwable failure(CompletableFuture<?> stage) {
        assertThat(stage).isCompletedExceptionally();
        try {
            stage.join();
            throw new AssertionError("did not fail");
        } catch (CompletionException e) {
            return e.getCause();
        }
    }

    private void close(LockHandle lease) {
        cleo.does(lease::close).value();
    }

    @Test
    void theStageCompletesWithALeaseThatAnyThreadMayClose() {
        CompletableFuture<LockHandle> stage = acquired(ann);
        LockHandle lease = result(stage);
        assertThat(lease.isValid()).isTrue();
        assertThat(lease.fencingToken()).isPresent();
        assertThat(ann.asks(lock::isHeldByCurrentThread).value()).isFalse();
        assertThat(env.threads()).noneMatch(AsyncAcquisitionTest::isCarrier);
        close(lease);
        assertThat(server.isFree(NAME)).isTrue();
    }

    @Test
    void theCallerDoesNotWaitForTheBackend() {
        one.protocol().next(Verb.ATTEMPT, RequestFault.slowRequest(seconds(2)));
        CompletableFuture<LockHandle> stage = acquired(ann);
        assertThat(stage).isNotDone();
        env.advance(seconds(2));
        close(result(stage));
    }

    @Test
    void whoHoldsTheLockByAThreadGetsTheHandleAfterUnlocking() {
        ann.does(lock::lock).value();
        CompletableFuture<LockHandle> stage = acquired(ann);
        env.advance(seconds(5));
        assertThat(stage).isNotDone();
        ann.does(lock::unlock).value();
        close(result(stage));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"cancel", "complete", "completeExceptionally", "obtrudeValue", "obtrudeException", "orTimeout"})
    void endingAStageGivesItsPlaceUpBeforeItsDependentsRun(String way) {
        ann.does(lock::lock).value();
        CompletableFuture<LockHandle> stage = acquired(bob);
        assertThat(env.threads()).anyMatch(AsyncAcquisitionTest::isCarrier);
        List<Boolean> waited = new ArrayList<>();
        CompletableFuture<Boolean> dependent = stage.handle((handle, failure) -> {
            env.settle();
            return waited.add(env.threads().stream().anyMatch(AsyncAcquisitionTest::isCarrier));
        });
        switch (way) {
            case "cancel" -> stage.cancel(true);
            case "complete" -> stage.complete(null);
            case "completeExceptionally" -> stage.completeExceptionally(new IllegalStateException());
            case "obtrudeValue" -> stage.obtrudeValue(null);
            case "obtrudeException" -> stage.obtrudeException(new IllegalStateException());
            default -> stage.orTimeout(1, TimeUnit.NANOSECONDS);
        }
        dependent.join();
        assertThat(waited).containsExactly(false);
        ann.does(lock::unlock).value();
    }

    @Test
    void stagesOfOneLockCompleteInTheOrderOfTheCalls() {
        LockHandle first = result(acquired(ann));
        CompletableFuture<LockHandle> second = acquired(ann);
        CompletableFuture<LockHandle> third = acquired(ann);
        close(first);
        env.settle();
        assertThat(second).isDone();
        assertThat(third).isNotDone();
        close(result(second));
        env.settle();
        close(result(third));
    }

    @Test
    void aStageWithATimeIsEmptyWhenTheTimeHasPassedSinceTheCall() {
        server.steal(NAME, seconds(100));
        CompletableFuture<Optional<LockHandle>> stage =
                ann.asks(() -> tryAcquire(one, seconds(5))).value();
        env.advance(seconds(5).minusNanos(1));
        assertThat(stage).isNotDone();
        env.advance(Duration.ofNanos(1));
        assertThat(result(stage)).isEmpty();
        server.delete(NAME);
    }

    @Test
    void aStageWithATimeHasTheLeaseIfTheLockBecomesFree() {
        ann.does(lock::lock).value();
        CompletableFuture<Optional<LockHandle>> stage =
                bob.asks(() -> tryAcquire(one, seconds(5))).value();
        env.advance(seconds(4));
        ann.does(lock::unlock).value();
        close(result(stage).orElseThrow());
    }

    @Test
    void noTimeAndATimeThatNoClockCountsAreFine() {
        for (Duration wait : List.of(
                Duration.ZERO, seconds(-1), Duration.ofSeconds(Long.MIN_VALUE), Duration.ofSeconds(Long.MAX_VALUE))) {
            CompletableFuture<Optional<LockHandle>> stage =
                    ann.asks(() -> tryAcquire(one, wait)).value();
            env.settle();
            close(result(stage).orElseThrow());
        }
        assertThatNullPointerException().isThrownBy(() -> lock.tryAcquireAsync(null));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void cancellingGivesUpThePlaceInTheQueueHere(boolean mayInterrupt) {
        ann.does(lock::lock).value();
        CompletableFuture<LockHandle> cancelled = acquired(bob);
        CompletableFuture<LockHandle> next = acquired(bob);
        assertThat(cancelled.cancel(mayInterrupt)).isTrue();
        env.settle();
        assertThat(env.threads().stream().filter(AsyncAcquisitionTest::isCarrier))
                .hasSize(1);
        ann.does(lock::unlock).value();
        assertThat(next).isDone();
        close(result(next));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void cancellingGivesUpThePlaceWithTheBackend(boolean queues) {
        one.protocol().queues = queues;
        Jvm two = jvm();
        two.protocol().queues = queues;
        ann.does(two.lock()::lock).value();
        CompletableFuture<LockHandle> cancelled = acquired(bob);
        env.advance(seconds(2));
        cancelled.cancel(false);
        env.settle();
        assertThat(env.threads()).noneMatch(AsyncAcquisitionTest::isCarrier);
        assertThat(server.places()).isZero();
        assertThat(one.engine().core().cells().size()).isZero();
        Call<Void> next = cleo.does(lock::lock);
        ann.does(two.lock()::unlock).value();
        env.advance(seconds(2));
        next.value();
        cleo.does(lock::unlock).value();
    }

    @Test
    void aStageThatIsCompletedByTheApplicationIsGivenUpAsWell() {
        ann.does(lock::lock).value();
        CompletableFuture<LockHandle> stage = acquired(bob);
        stage.completeExceptionally(new TimeoutException());
        env.settle();
        assertThat(env.threads()).noneMatch(AsyncAcquisitionTest::isCarrier);
        ann.does(lock::unlock).value();
        assertThat(server.isFree(NAME)).isTrue();
    }

    @Test
    void cancellingADependentStageChangesNothing() {
        ann.does(lock::lock).value();
        CompletableFuture<LockHandle> stage = acquired(bob);
        stage.thenApply(lease -> lease).cancel(true);
        env.settle();
        ann.does(lock::unlock).value();
        close(result(stage));
    }

    @Test
    void aLockThatIsGrantedAfterTheCancellationIsGivenBackAtOnce() {
        one.protocol().next(Verb.ATTEMPT, RequestFault.slowRequest(seconds(2)));
        CompletableFuture<LockHandle> stage = acquired(ann);
        env.advance(seconds(1));
        stage.cancel(true);
        env.advance(seconds(1));
        assertThat(server.isFree(NAME)).isTrue();
        assertThat(env.threads()).noneMatch(AsyncAcquisitionTest::isCarrier);
        assertThat(one.protocol().calls(Verb.RENEW)).isZero();
    }

    /** Cancels a stage when its acquisition has the lock, and has not completed the stage yet. */
    private static AsyncAcquisition.Target cancelling(
            DistributedLock lock, AtomicReference<CompletableFuture<?>> stage, AtomicReference<Boolean> cancelled) {
        return (AsyncAcquisition.Target) Proxy.newProxyInstance(
                AsyncAcquisition.Target.class.getClassLoader(),
                new Class<?>[] {AsyncAcquisition.Target.class},
                (proxy, call, args) -> {
                    Object granted = call.invoke(lock, args);
                    cancelled.set(stage.get().cancel(true));
                    return granted;
                });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aLockThatIsGrantedBeforeTheCancellationAndNotHandedOutIsGivenBackAtOnce(boolean timed) {
        AtomicReference<CompletableFuture<?>> stage = new AtomicReference<>();
        AtomicReference<Boolean> cancelled = new AtomicReference<>();
        AsyncAcquisition.Target cancelling = cancelling(lock, stage, cancelled);
        String name = "test-acquisition";
        // No thread of the virtual environment runs before it settles.
        stage.set(
                timed
                        ? AsyncAcquisition.tryAcquire(env, name, cancelling, seconds(5), "here")
                        : AsyncAcquisition.acquire(env, name, cancelling, "here"));
        env.settle();
        assertThat(cancelled).as("what cancel() returned").hasValue(true);
        assertThat(server.isFree(NAME)).as("the lock is free").isTrue();
        assertThat(one.protocol().calls(Verb.RELEASE)).isEqualTo(1);
        assertThat(one.engine().core().cells().size()).isZero();
        assertThat(env.threads()).noneMatch(AsyncAcquisitionTest::isCarrier);
    }

    @Test
    void aStageThatIsCancelledBeforeItsThreadRunsAsksForNothing() {
        CompletableFuture<LockHandle> stage = acquire(one);
        stage.cancel(true);
        env.settle();
        assertThat(one.protocol().allCalls()).isZero();
        assertThat(env.threads()).isEmpty();
    }

    @Test
    void closingTheFactoryFailsTheStage() {
        ann.does(lock::lock).value();
        CompletableFuture<LockHandle> waiting = acquired(bob);
        CompletableFuture<Optional<LockHandle>> timed =
                bob.asks(() -> tryAcquire(one, seconds(60))).value();
        one.engine().close();
        env.settle();
        assertThat(failure(waiting)).isInstanceOf(IllegalStateException.class);
        assertThat(failure(timed)).isInstanceOf(IllegalStateException.class);

        CompletableFuture<LockHandle> late = lock.acquireAsync().toCompletableFuture();
        env.settle();
        assertThat(failure(late)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aFailureOfTheBackendFailsTheStage() {
        one.protocol().always(Verb.ATTEMPT, RequestFault.unreachable());
        assertThat(failure(acquired(ann)))
                .isInstanceOfSatisfying(
                        LockBackendException.class,
                        e -> assertThat(e.reason()).isEqualTo(LockBackendException.Reason.UNREACHABLE));
        one.protocol().always(Verb.ATTEMPT, RequestFault.error());
        assertThat(failure(acquired(ann))).isInstanceOf(AssertionError.class);
    }

    @Test
    void anInterruptOfTheCallerChangesNothing() {
        ann.does(lock::lock).value();
        Call<CompletableFuture<LockHandle>> call = bob.asks(() -> {
            Thread.currentThread().interrupt();
            return acquire(one);
        });
        assertThat(call.interruptedAfter()).isTrue();
        env.settle();
        assertThat(call.value()).isNotDone();
        ann.does(lock::unlock).value();
        close(result(call.value()));
    }

    @Test
    void anInterruptOfTheCarrierByAnybodyElseChangesNothing() {
        server.steal(NAME, seconds(3));
        CompletableFuture<Optional<LockHandle>> lease =
                ann.asks(() -> tryAcquire(one, seconds(5))).value();
        env.advance(seconds(1));
        interruptCarriers();
        env.advance(seconds(3));
        close(result(lease).orElseThrow());

        server.steal(NAME, seconds(100));
        CompletableFuture<Optional<LockHandle>> empty =
                ann.asks(() -> tryAcquire(one, seconds(5))).value();
        env.advance(seconds(4));
        interruptCarriers();
        env.advance(seconds(1).minusNanos(1));
        assertThat(empty).isNotDone();
        env.advance(Duration.ofNanos(1));
        assertThat(result(empty)).as("the time is not counted anew").isEmpty();
        server.delete(NAME);
    }

    private void interruptCarriers() {
        Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> isCarrier(thread.getName()))
                .forEach(Thread::interrupt);
        env.settle();
    }

    @Test
    void aDependentThatBlocksHoldsUpNobody() {
        ann.does(lock::lock).value();
        CompletableFuture<LockHandle> stage = acquired(bob);
        AtomicReference<String> ranOn = new AtomicReference<>();
        AtomicReference<Boolean> interrupted = new AtomicReference<>();
        stage.thenAccept(lease -> {
            ranOn.set(Thread.currentThread().getName());
            interrupted.set(Thread.currentThread().isInterrupted());
            long until = env.nanoTime() + seconds(100).toNanos();
            while (until - env.nanoTime() > 0) {
                env.park(this, until - env.nanoTime());
            }
            lease.close();
        });
        ann.does(lock::unlock).value();
        assertThat(ranOn.get()).matches(AsyncAcquisitionTest::isCarrier);
        assertThat(interrupted).hasValue(false);
        env.advance(seconds(90));
        assertThat(result(stage).isValid()).as("it is renewed meanwhile").isTrue();
        ann.does(one.engine().getLock("other")::lock).value();
        ann.does(one.engine().getLock("other")::unlock).value();
        env.advance(seconds(10));
        assertThat(server.isFree(NAME)).isTrue();
    }

    @Test
    void aThreadThatCannotBeStartedFailsTheStage() {
        env.refuseThread("-acquisition");
        CompletableFuture<LockHandle> stage = ann.asks(() -> acquire(one)).value();
        assertThat(failure(stage)).isInstanceOf(OutOfMemoryError.class);
        close(result(acquired(ann)));
    }

    @Test
    void cancellingAgainstAGrantLeavesTheLockWithTheNextOrWithTheStage() {
        List<Boolean> cancelled = new ArrayList<>();
        for (int seed = 1; seed <= 300; seed++) {
            cancelled.add(raceOfCancelAndGrant(seed));
        }
        assertThat(cancelled).as("both outcomes").contains(true, false);
    }

    /** Lets an unlock and a cancellation run in an order that is drawn; returns whether the cancellation came first. */
    private static boolean raceOfCancelAndGrant(long seed) {
        VirtualEnvironment env = VirtualEnvironment.shuffled(seed);
        InMemoryServer server = new InMemoryServer(env);
        InMemoryProtocol protocol = new InMemoryProtocol(env, server);
        protocol.queues = seed % 2 == 0;
        LockEngine engine = (LockEngine) LockEngine.newFactory(
                "memory",
                PROFILE,
                protocol,
                LockConfig.builder()
                        .endpoints("redis://localhost")
                        .localHandoffs(seed % 3 == 0 ? 0 : 16)
                        .build(),
                env);
        DistributedLock lock = engine.getLock(NAME);
        Person holder = env.person("holder");
        Person canceller = env.person("canceller");
        Person next = env.person("next");
        holder.does(lock::lock).value();
        CompletableFuture<LockHandle> stage = lock.acquireAsync().toCompletableFuture();
        env.settle();
        Call<Void> waiting = next.does(lock::lock);
        holder.prepares(() -> {
            lock.unlock();
            return null;
        });
        Call<Boolean> cancel = canceller.prepares(() -> stage.cancel(true));
        env.advance(millis(20));

        if (!cancel.value()) {
            assertThat(waiting.isDone()).isFalse();
            result(stage).close();
        }
        env.advance(seconds(2));
        waiting.value();
        next.does(lock::unlock).value();
        env.advance(seconds(1));
        assertThat(server.isFree(NAME)).isTrue();
        assertThat(server.places()).isZero();
        assertThat(engine.core().cells().size()).isZero();
        assertThat(protocol.breaches()).isEmpty();
        engine.close();
        env.close();
        assertThat(env.threads()).isEmpty();
        return cancel.value();
    }
}
