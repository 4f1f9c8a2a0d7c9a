// SPDX-License-Identifier: Apache-2.0
package dev.interlock.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockHandle;
import io.micrometer.common.KeyValue;
import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The observations of acquisitions and holds on a real server. */
class ObservedLocksTest {
    private static MicrometerFixture backend;
    private static DistributedLockFactory plain;
    private static DistributedLockFactory others;

    private final ObservationRegistry registry = ObservationRegistry.create();
    private final List<Observation.Context> stopped = new CopyOnWriteArrayList<>();
    private final List<Observation.Context> started = new CopyOnWriteArrayList<>();
    private DistributedLockFactory factory;

    @BeforeAll
    static void start() {
        backend = new MicrometerFixture();
        plain = backend.factory();
        others = backend.factory();
    }

    @AfterAll
    static void stop() {
        backend.close();
    }

    private DistributedLock lock(String name) {
        registry.observationConfig().observationHandler(new ObservationHandler<Observation.Context>() {
            @Override
            public void onStart(Observation.Context context) {
                started.add(context);
            }

            @Override
            public void onStop(Observation.Context context) {
                stopped.add(context);
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
        factory = ObservedLocks.builder(registry)
                .group(LockGroups.before(":"))
                .build()
                .observe(plain);
        return factory.getLock(name);
    }

    /** Every scope that was opened has been closed. */
    @AfterEach
    void nothingIsObservedAnyMore() {
        assertThat(registry.getCurrentObservation()).isNull();
    }

    private static String shown(Observation.Context context) {
        StringBuilder text = new StringBuilder(context.getName());
        context.getLowCardinalityKeyValues()
                .forEach(pair ->
                        text.append(' ').append(pair.getKey()).append('=').append(pair.getValue()));
        return text.toString();
    }

    private void assertStopped(String... observations) {
        await().atMost(MicrometerFixture.PATIENCE).until(() -> stopped.size() >= observations.length);
        assertThat(stopped).extracting(ObservedLocksTest::shown).containsExactly(observations);
    }

    private static String acquisition(String wait, String outcome) {
        return "interlock.acquisition group=invoice outcome=" + outcome + " strategy=set-nx-px wait=" + wait;
    }

    private static String hold(String outcome, String cause) {
        return "interlock.hold cause=" + cause + " group=invoice outcome=" + outcome + " strategy=set-nx-px";
    }

    @Test
    void oneAcquisitionAndOneHoldAreObservedAndReEntryIsNeither() throws Exception {
        DistributedLock lock = lock("invoice:1");
        lock.lock();
        assertThat(lock.tryLock()).isTrue();
        lock.lockInterruptibly();
        assertStopped(acquisition("unbounded", "acquired"));
        lock.unlock();
        lock.unlock();
        assertThat(stopped).hasSize(1);
        assertThat(started).hasSize(2);
        lock.unlock();
        assertStopped(acquisition("unbounded", "acquired"), hold("released", "none"));
    }

    @Test
    void aWaitForAConditionEndsOneHoldAndBeginsAnother() throws Exception {
        DistributedLock lock = lock("invoice:1");
        lock.lock();
        lock.lock();
        assertThat(lock.newCondition().await(1, TimeUnit.MILLISECONDS)).isFalse();
        lock.unlock();
        assertStopped(acquisition("unbounded", "acquired"), hold("released", "none"));
        lock.unlock();
        assertStopped(acquisition("unbounded", "acquired"), hold("released", "none"), hold("released", "none"));
    }

    @Test
    void theNameOfTheLockAndItsFencingTokenAreOfHighCardinality() {
        DistributedLock lock = lock("invoice:2");
        lock.lock();
        String token = Long.toString(lock.lease().orElseThrow().fencingToken().orElseThrow());
        lock.unlock();
        for (Observation.Context context : stopped) {
            assertThat(context.getHighCardinalityKeyValues())
                    .containsExactlyInAnyOrder(KeyValue.of("lock", "invoice:2"), KeyValue.of("fencing.token", token));
        }
        assertThat(stopped)
                .extracting(Observation.Context::getContextualName)
                .containsExactly("acquire invoice", "hold invoice");
    }

    @Test
    void anAcquisitionThatFindsTheLockTakenIsObservedAsSuch() throws Exception {
        DistributedLock lock = lock("invoice:3");
        others.getLock("invoice:3").lock();
        assertThat(lock.tryLock()).isFalse();
        assertThat(lock.tryLock(1, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(lock.tryAcquire()).isEmpty();
        Thread.currentThread().interrupt();
        assertThatThrownBy(lock::lockInterruptibly).isInstanceOf(InterruptedException.class);
        assertStopped(
                acquisition("none", "taken"),
                acquisition("bounded", "taken"),
                acquisition("none", "taken"),
                acquisition("unbounded", "interrupted"));
        others.getLock("invoice:3").unlock();
    }

    @Test
    void bothBelongToWhatWasObservedWhenTheLockWasAskedFor() throws Exception {
        DistributedLock lock = lock("invoice:4");
        Observation request = Observation.start("request", registry);
        List<CompletableFuture<LockHandle>> handles = new ArrayList<>();
        request.scoped(() -> {
            lock.lock();
            lock.unlock();
            handles.add(lock.acquireAsync().toCompletableFuture());
        });
        handles.get(0)
                .get(MicrometerFixture.PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .close();
        request.stop();
        assertThat(stopped.subList(0, 4))
                .allSatisfy(context -> assertThat(context.getParentObservation().getContextView())
                        .isSameAs(request.getContextView()));
    }

    @Test
    void aLossEndsTheHoldAndIsTheOutcomeOfTheNextAcquisition() throws Exception {
        DistributedLock lock = lock("invoice:5");
        lock.lock();
        Lease lease = lock.lease().orElseThrow();
        backend.forget("invoice:5");
        MicrometerFixture.elsewhere(() -> {
            assertThatThrownBy(() -> lease.ensureValid(lease.remaining().plusMillis(1)))
                    .isInstanceOf(LeaseLostException.class);
            return null;
        });
        assertStopped(acquisition("unbounded", "acquired"), hold("lost", "gone"));
        assertThat(stopped.get(1).getError()).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(lock::tryLock).isInstanceOf(LeaseLostException.class);
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
        assertStopped(
                acquisition("unbounded", "acquired"),
                hold("lost", "gone"),
                acquisition("none", "lost"),
                acquisition("none", "acquired"),
                hold("released", "none"));
    }

    @Test
    void theHoldOfAHandleEndsWithTheHandle() throws Exception {
        DistributedLock lock = lock("invoice:6");
        LockHandle handle = lock.acquire();
        assertThat(lock.tryAcquire(Duration.ofMillis(1))).isEmpty();
        MicrometerFixture.elsewhere(() -> {
            handle.close();
            return null;
        });
        handle.close();
        assertStopped(acquisition("unbounded", "acquired"), acquisition("bounded", "taken"), hold("released", "none"));
    }

    @Test
    void anAsynchronousAcquisitionIsObservedUntilItEnds() throws Exception {
        DistributedLock lock = lock("invoice:7");
        LockHandle handle =
                lock.acquireAsync().toCompletableFuture().get(MicrometerFixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        Optional<LockHandle> refused = lock.tryAcquireAsync(Duration.ZERO)
                .toCompletableFuture()
                .get(MicrometerFixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(refused).isEmpty();
        CompletableFuture<LockHandle> waiting = lock.acquireAsync().toCompletableFuture();
        waiting.cancel(false);
        assertStopped(
                acquisition("unbounded", "acquired"),
                acquisition("none", "taken"),
                acquisition("unbounded", "cancelled"));
        handle.close();
        assertThat(others.getLock("invoice:7").tryLock(MicrometerFixture.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .as("the place was given up")
                .isTrue();
        others.getLock("invoice:7").unlock();
        assertThat(stopped)
                .extracting(ObservedLocksTest::shown)
                .endsWith(hold("released", "none"))
                .hasSize(4);
    }

    @ParameterizedTest
    @ValueSource(strings = {"start", "scope opened", "scope closed", "stop"})
    void aHandlerThatFailsDoesNotReachTheLock(String failing) {
        registry.observationConfig().observationHandler(new ObservationHandler<Observation.Context>() {
            private void on(String event) {
                if (event.equals(failing)) {
                    throw new IllegalStateException(event);
                }
            }

            @Override
            public void onStart(Observation.Context context) {
                on("start");
            }

            @Override
            public void onScopeOpened(Observation.Context context) {
                on("scope opened");
            }

            @Override
            public void onScopeClosed(Observation.Context context) {
                on("scope closed");
            }

            @Override
            public void onStop(Observation.Context context) {
                on("stop");
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
        DistributedLock lock = lock("invoice:8");
        lock.lock();
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        lock.unlock();
        assertThat(others.getLock("invoice:8").tryLock()).isTrue();
        others.getLock("invoice:8").unlock();
    }

    @Test
    void aConventionOfTheRegistryOrTheBuilderNamesWhatIsObserved() {
        registry.observationConfig().observationConvention(new GlobalHoldConvention());
        lock("unused");
        DistributedLock lock = ObservedLocks.builder(registry)
                .acquisitionConvention(new AcquisitionConvention() {
                    @Override
                    public String getName() {
                        return "own.acquisition";
                    }
                })
                .build()
                .observe(plain)
                .getLock("invoice:9");
        lock.lock();
        lock.unlock();
        assertThat(stopped).extracting(Observation.Context::getName).containsExactly("own.acquisition", "global.hold");
    }

    /** As an application registers it for all holds. */
    private static final class GlobalHoldConvention
            implements HoldConvention, io.micrometer.observation.GlobalObservationConvention<HoldContext> {
        @Override
        public String getName() {
            return "global.hold";
        }
    }

    @Test
    void theKeysAreThoseThatAreDocumented() {
        DistributedLock lock = lock("invoice:10");
        lock.lock();
        lock.unlock();
        List<LockObservation> documented = List.of(LockObservation.ACQUISITION, LockObservation.HOLD);
        for (int i = 0; i < 2; i++) {
            assertThat(stopped.get(i).getLowCardinalityKeyValues())
                    .extracting(KeyValue::getKey)
                    .containsExactlyInAnyOrderElementsOf(keys(documented.get(i).getLowCardinalityKeyNames()));
            assertThat(stopped.get(i).getHighCardinalityKeyValues())
                    .extracting(KeyValue::getKey)
                    .containsExactlyInAnyOrderElementsOf(keys(documented.get(i).getHighCardinalityKeyNames()));
        }
    }

    private static List<String> keys(KeyName[] names) {
        return Arrays.stream(names).map(KeyName::asString).toList();
    }

    @Test
    void whereNothingIsObservedTheLocksAreThoseOfTheFactory() {
        assertThat(ObservedLocks.builder(ObservationRegistry.NOOP).build().observe(plain))
                .isSameAs(plain);
        assertThat(ObservedLocks.builder(ObservationRegistry.create()).build().observe(plain))
                .as("handlers may come later")
                .isNotSameAs(plain);
    }
}
