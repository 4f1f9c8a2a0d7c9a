// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockBackendException;
import dev.interlock.LockListener;
import dev.interlock.LockListener.Acquired;
import dev.interlock.LockListener.EventsDropped;
import dev.interlock.LockListener.Lost;
import dev.interlock.LockListener.OutageBegan;
import dev.interlock.LockListener.OutageEnded;
import dev.interlock.LockListener.QueueChanged;
import dev.interlock.LockListener.Released;
import dev.interlock.LockListener.RenewalFailed;
import dev.interlock.LockListener.Renewed;
import dev.interlock.LockListener.Requested;
import dev.interlock.LossCause;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How listeners are called, and that they cannot harm a lock. */
@Timeout(60)
class ObserverTest {
    private static final LockBackendException FAILURE =
            new LockBackendException(LockBackendException.Reason.UNREACHABLE, "no server");

    private final TestHost host = new TestHost();
    private final Heard heard = new Heard();
    private final Logger logger = Logger.getLogger("dev.interlock.engine.observe");
    private final List<LogRecord> log = new CopyOnWriteArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord entry) {
            log.add(entry);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    private Observer observer(LockListener... listeners) {
        return Observer.of(List.of(listeners), host.host(), "memory");
    }

    private static Object request(int number) {
        return new Requested("memory", "lock " + number);
    }

    private static List<Object> requests(int from, int to) {
        return IntStream.range(from, to).mapToObj(ObserverTest::request).toList();
    }

    @BeforeEach
    void listenToTheLog() {
        logger.setUseParentHandlers(false);
        logger.addHandler(handler);
    }

    @AfterEach
    void leaveTheLogAlone() {
        logger.removeHandler(handler);
        logger.setUseParentHandlers(true);
    }

    @Test
    void aListenerHearsEachEventWithItsFigures() throws InterruptedException {
        Observer observer = observer(heard);
        observer.requested("a");
        observer.queueLength("a", 3);
        observer.acquired("a", 5, 2, true, OptionalLong.of(7));
        observer.renewed("a", 11, Duration.ofSeconds(13));
        observer.renewalFailed("a", FAILURE);
        observer.lost("a", LossCause.GONE, 17);
        observer.released("b", 19);
        observer.outageBegan("c", FAILURE);
        observer.outageEnded("c", 23);

        assertThat(heard.next(9))
                .containsExactly(
                        new Requested("memory", "a"),
                        new QueueChanged("memory", "a", 3),
                        new Acquired("memory", "a", Duration.ofNanos(5), 2, true, OptionalLong.of(7)),
                        new Renewed("memory", "a", Duration.ofNanos(11), Duration.ofSeconds(13)),
                        new RenewalFailed("memory", "a", FAILURE),
                        new Lost("memory", "a", LossCause.GONE, Duration.ofNanos(17)),
                        new Released("memory", "b", Duration.ofNanos(19)),
                        new OutageBegan("memory", "c", FAILURE),
                        new OutageEnded("memory", "c", Duration.ofNanos(23)));
    }

    @Test
    void aListenerThatOverridesNothingHearsEverythingWithoutHarm() throws InterruptedException {
        Observer observer = observer(new LockListener() {}, heard);
        observer.requested("a");
        observer.queueLength("a", 3);
        observer.acquired("a", 5, 2, true, OptionalLong.of(7));
        observer.renewed("a", 11, Duration.ofSeconds(13));
        observer.renewalFailed("a", FAILURE);
        observer.lost("a", LossCause.GONE, 17);
        observer.released("b", 19);
        observer.outageBegan("c", FAILURE);
        observer.outageEnded("c", 23);
        assertThat(heard.next(9)).hasSize(9);
        assertThat(log).isEmpty();
    }

    @Test
    void allListenersHearTheEventsInTheOrderInWhichTheyWereQueued() throws InterruptedException {
        Heard second = new Heard();
        Observer observer = observer(heard, second);
        int each = Dispatcher.CAPACITY / 4;
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            String name = "thread " + t;
            threads.add(new Thread(() -> IntStream.range(0, each).forEach(i -> observer.queueLength(name, i))));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }

        List<Object> events = heard.next(4 * each);
        assertThat(second.next(4 * each)).isEqualTo(events);
        for (int t = 0; t < 4; t++) {
            String name = "thread " + t;
            assertThat(events.stream()
                            .map(QueueChanged.class::cast)
                            .filter(event -> event.lockName().equals(name))
                            .map(QueueChanged::length))
                    .containsExactlyElementsOf(IntStream.range(0, each).boxed().toList());
        }
    }

    @Test
    void aListenerThatThrowsKeepsNoOtherFromHearingAndIsLoggedOnceAMinuteWithACount() throws InterruptedException {
        LockListener throwing = new LockListener() {
            @Override
            public void requested(Requested event) {
                throw new IllegalStateException("planted " + event.lockName());
            }

            @Override
            public void released(Released event) {
                throw new StackOverflowError("planted");
            }
        };
        Observer observer = observer(throwing, heard);
        observer.requested("1");
        observer.requested("2");
        observer.released("3", 4);
        assertThat(heard.next(3)).hasSize(3);
        assertThat(log).singleElement().satisfies(entry -> {
            assertThat(entry.getMessage()).contains("a lock listener threw").contains("(1 since");
            assertThat(entry.getThrown()).hasMessage("planted 1");
        });

        host.clock.addAndGet(TimeUnit.SECONDS.toNanos(60));
        observer.requested("5");
        heard.next(1);
        assertThat(log)
                .hasSize(2)
                .last()
                .satisfies(entry -> assertThat(entry.getMessage()).contains("(3 since"));
    }

    @Test
    void whileAListenerBlocksWhatDoesNotFitIsDroppedCountedAndToldInItsPlace() throws InterruptedException {
        CountDownLatch blocked = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        LockListener blocking = new LockListener() {
            @Override
            public void requested(Requested event) {
                blocked.countDown();
                await(released);
            }
        };
        Observer observer = observer(blocking, heard);
        observer.requested("lock 0");
        await(blocked);
        // None of these calls returns if a listener can delay it.
        for (int i = 1; i <= Dispatcher.CAPACITY + 10; i++) {
            observer.requested("lock " + i);
        }
        assertThat(heard.rest()).isEmpty();
        released.countDown();

        assertThat(heard.next(Dispatcher.CAPACITY + 1)).isEqualTo(requests(0, Dispatcher.CAPACITY + 1));
        assertThat(heard.next(1)).containsExactly(new EventsDropped("memory", 10));
        observer.requested("lock 1");
        assertThat(heard.next(1)).containsExactly(request(1));
        assertThat(log)
                .singleElement()
                .satisfies(entry -> assertThat(entry.getMessage()).contains("events of locks were dropped (1 since"));
    }

    @Test
    void droppedEventsAreToldBeforeTheNextOneThatIsQueued() throws InterruptedException {
        CountDownLatch blocked = new CountDownLatch(1);
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch second = new CountDownLatch(1);
        Observer observer = observer(heard, new LockListener() {
            @Override
            public void requested(Requested event) {
                if (event.lockName().equals("lock 0")) {
                    blocked.countDown();
                    await(first);
                } else if (event.lockName().equals("lock 1")) {
                    await(second);
                }
            }
        });
        observer.requested("lock 0");
        await(blocked);
        for (int i = 1; i <= Dispatcher.CAPACITY + 3; i++) {
            observer.requested("lock " + i);
        }
        first.countDown();
        assertThat(heard.next(2)).isEqualTo(requests(0, 2));
        // The second event is out of the queue, and there is room for one.
        observer.requested("late");
        second.countDown();

        assertThat(heard.next(Dispatcher.CAPACITY - 1)).isEqualTo(requests(2, Dispatcher.CAPACITY + 1));
        assertThat(heard.next(2)).containsExactly(new EventsDropped("memory", 3), new Requested("memory", "late"));
    }

    @Test
    void theThreadIsThereWhileThereAreEvents() throws InterruptedException {
        Observer observer = observer(heard);
        assertThat(host.threads).isEmpty();
        observer.requested("lock 0");
        heard.next(1);
        awaitIdle(host.threads.get(0));
        host.clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(900));
        observer.requested("lock 1");
        heard.next(1);
        assertThat(host.threads).as("an event shortly after another one").hasSize(1);
        Thread thread = host.threads.get(0);
        endWhenIdle(thread);

        observer.requested("lock 2");
        heard.next(1);
        assertThat(host.threads).hasSize(2);
        endWhenIdle(host.threads.get(1));
    }

    private static void awaitIdle(Thread thread) {
        while (thread.getState() != Thread.State.WAITING) {
            assertThat(thread.isAlive()).as("waits for the next event").isTrue();
        }
    }

    /** Moves the clock on until the thread has ended, which may not have begun to wait yet. */
    private void endWhenIdle(Thread thread) throws InterruptedException {
        while (thread.isAlive()) {
            host.advance(TimeUnit.SECONDS.toNanos(1));
            thread.join(1);
        }
    }

    @Test
    void theThreadOfAClosedObserverEndsWhenAllIsTold() throws InterruptedException {
        CountDownLatch released = new CountDownLatch(1);
        Observer observer = observer(
                new LockListener() {
                    @Override
                    public void requested(Requested event) {
                        await(released);
                    }
                },
                heard);
        observer.requested("lock 0");
        observer.requested("lock 1");
        observer.close();
        released.countDown();
        host.join();
        assertThat(heard.rest()).isEqualTo(requests(0, 2));

        observer.requested("lock 2");
        host.join();
        assertThat(heard.rest()).as("what comes after close").isEqualTo(requests(0, 3));
    }

    @Test
    void closeEndsAThreadThatWaitsForAnEvent() throws InterruptedException {
        Observer observer = observer(heard);
        observer.requested("lock 0");
        heard.next(1);
        observer.close();
        host.join();
        assertThat(host.threads).hasSize(1);
    }

    @Test
    void aThreadThatCannotBeStartedIsStartedForTheNextEvent() throws InterruptedException {
        host.refusals.set(2);
        Observer observer = observer(heard);
        observer.requested("lock 0");
        observer.requested("lock 1");
        assertThat(log)
                .singleElement()
                .satisfies(entry -> assertThat(entry.getMessage()).contains("could not be started"));
        observer.requested("lock 2");
        assertThat(heard.next(3)).isEqualTo(requests(0, 3));
    }

    @Test
    void anInterruptThatAListenerLeavesBehindReachesNeitherTheNextListenerNorTheWaitForEvents()
            throws InterruptedException {
        List<Boolean> interrupted = new CopyOnWriteArrayList<>();
        Observer observer = observer(
                new LockListener() {
                    @Override
                    public void requested(Requested event) {
                        Thread.currentThread().interrupt();
                    }
                },
                new LockListener() {
                    @Override
                    public void requested(Requested event) {
                        interrupted.add(Thread.currentThread().isInterrupted());
                        Thread.currentThread().interrupt();
                    }
                },
                heard);
        observer.requested("lock 0");
        heard.next(1);
        Thread thread = host.threads.get(0);
        awaitIdle(thread);
        endWhenIdle(thread);
        assertThat(interrupted).containsExactly(false);
        assertThat(host.parks.get())
                .as("parks, of which each was ended by the test")
                .isLessThan(1_000);
    }

    @Test
    void withoutListenerAndRecordingNothingIsAllocatedAndNoClockIsRead() {
        Observer observer = Observer.of(
                List.of(),
                new Host(
                        () -> {
                            throw new AssertionError("reads the clock");
                        },
                        (blocker, nanos) -> {
                            throw new AssertionError("waits");
                        },
                        thread -> {
                            throw new AssertionError("wakes a thread");
                        },
                        (name, task) -> {
                            throw new AssertionError("makes a thread");
                        }),
                "memory");
        assertThat(observer.isOn()).isFalse();
        OptionalLong fence = OptionalLong.of(1);
        Duration remaining = Duration.ofSeconds(1);
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long self = Thread.currentThread().getId();
        long allocated = 0;
        // The first round loads classes.
        for (int round = 0; round < 2; round++) {
            long before = threads.getThreadAllocatedBytes(self);
            for (int i = 0; i < 10_000; i++) {
                callEach(observer, fence, remaining);
            }
            allocated = threads.getThreadAllocatedBytes(self) - before;
        }
        // The measurement itself may allocate; the calls would by an object each.
        assertThat(allocated).isLessThan(10_000);
    }

    private static void callEach(Observer observer, OptionalLong fence, Duration remaining) {
        if (observer.isOn()) {
            throw new AssertionError("nobody listens");
        }
        observer.requested("a");
        observer.queueLength("a", 3);
        observer.acquired("a", 5, 2, true, fence);
        observer.renewed("a", 11, remaining);
        observer.renewalFailed("a", FAILURE);
        observer.lost("a", LossCause.GONE, 17);
        observer.released("b", 19);
        observer.outageBegan("c", FAILURE);
        observer.outageEnded("c", 23);
        observer.close();
    }

    @Test
    void anObserverWithAListenerIsOn() {
        assertThat(observer(heard).isOn()).isTrue();
    }

    private static void await(CountDownLatch latch) {
        try {
            if (!latch.await(30, TimeUnit.SECONDS)) {
                throw new AssertionError("waited in vain");
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aLogThatThrowsReachesNobodyWhoTellsTheObserver() throws InterruptedException {
        Handler broken = new Handler() {
            @Override
            public void publish(LogRecord entry) {
                throw new IllegalStateException("the disk is full");
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        logger.addHandler(broken);
        try {
            host.refusals.set(1);
            Observer observer = observer(heard);
            observer.requested("lock 0");
            assertThat(log).hasSize(1);
            observer.requested("lock 1");
            assertThat(heard.next(2)).isEqualTo(requests(0, 2));
        } finally {
            logger.removeHandler(broken);
        }
    }

    @Test
    void aClockThatThrowsReachesNobodyWhoTellsTheObserver() {
        CountDownLatch read = new CountDownLatch(1);
        Observer observer = Observer.of(
                List.of(heard),
                new Host(
                        () -> {
                            read.countDown();
                            throw new AssertionError("planted");
                        },
                        (blocker, nanos) -> {},
                        thread -> {},
                        (name, task) -> {
                            throw new OutOfMemoryError("planted");
                        }),
                "memory");
        observer.requested("a");
        observer.queueLength("a", 3);
        observer.acquired("a", 5, 2, true, OptionalLong.of(7));
        observer.renewed("a", 11, Duration.ofSeconds(13));
        observer.renewalFailed("a", FAILURE);
        observer.lost("a", LossCause.GONE, 17);
        observer.released("b", 19);
        observer.outageBegan("c", FAILURE);
        observer.outageEnded("c", 23);
        observer.close();
        assertThat(read.getCount()).isZero();
    }
}
