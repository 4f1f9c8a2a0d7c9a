// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.is;

import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisNode;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** Subscriptions over connections that the test controls, for situations into which no server can be brought. */
class SubscriptionsTest {
    private static final Failures FAILURES = new Failures(Environment.system(), "a server");

    private static final Duration LONG = Duration.ofSeconds(20);

    @Test
    void anErrorOfTheClientLibraryDoesNotEndListeningForGood() throws Exception {
        AtomicInteger opened = new AtomicInteger();
        SubscriptionSource failing = receiver -> {
            if (opened.getAndIncrement() < 2) {
                throw new NoClassDefFoundError("on purpose");
            }
            return new Confirming(receiver, true);
        };
        Subscriptions subscriptions = new Subscriptions(Environment.system(), FAILURES, failing);
        CountDownLatch told = new CountDownLatch(1);

        subscriptions.add("channel", new RedisNode.Listener() {
            @Override
            public void begun() {
                told.countDown();
            }

            @Override
            public void message(String text) {}
        });

        try {
            assertThat(told.await(20, TimeUnit.SECONDS)).isTrue();
        } finally {
            subscriptions.close();
        }
    }

    @Test
    void aLogHandlerThatThrowsDoesNotEndListeningForGood() {
        AtomicInteger opened = new AtomicInteger();
        Subscriptions subscriptions = new Subscriptions(Environment.system(), FAILURES, receiver -> {
            if (opened.getAndIncrement() < 2) {
                throw new IllegalStateException("on purpose");
            }
            return new Confirming(receiver, true);
        });
        Counting counting = new Counting();
        AtomicInteger logged = new AtomicInteger();
        Handler broken = new Handler() {
            @Override
            public void publish(LogRecord entry) {
                // Tests that run at the same time have the same logger.
                if (String.valueOf(entry.getMessage()).contains("on purpose")) {
                    logged.incrementAndGet();
                    throw new IllegalStateException("the disk is full");
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger(Subscriptions.class.getName());
        logger.addHandler(broken);
        try {
            subscriptions.add("channel", counting);
            await().atMost(LONG).untilAtomic(counting.begun, is(1));
        } finally {
            logger.removeHandler(broken);
            subscriptions.close();
        }
        assertThat(logged).hasPositiveValue();
    }

    /** Time that passes a thousand times as fast. */
    private static final class Hurried extends ShiftedEnvironment {
        private static final int SPEED = 1_000;

        @Override
        public long nanoTime() {
            return SPEED * super.nanoTime();
        }

        @Override
        public void park(Object blocker, long nanos) {
            super.park(blocker, nanos / SPEED + 1);
        }
    }

    /** Counts what it is told. */
    private static final class Counting implements RedisNode.Listener {
        final AtomicInteger begun = new AtomicInteger();
        final AtomicInteger ended = new AtomicInteger();

        @Override
        public void begun() {
            begun.incrementAndGet();
        }

        @Override
        public void ended() {
            ended.incrementAndGet();
        }

        @Override
        public void message(String text) {}
    }

    @Test
    void aConnectionOnWhichTheServerIsSilentIsOpenedAgain() {
        AtomicInteger opened = new AtomicInteger();
        Subscriptions subscriptions = new Subscriptions(
                new Hurried(), FAILURES, receiver -> new Confirming(receiver, opened.incrementAndGet() > 1));
        Counting counting = new Counting();
        subscriptions.add("channel", counting);
        try {
            await().atMost(LONG).untilAtomic(counting.begun, is(2));
            assertThat(counting.ended).hasValue(1);
        } finally {
            subscriptions.close();
        }
    }

    @Test
    void aConnectionOnWhichTheServerAnswersStays() {
        AtomicInteger opened = new AtomicInteger();
        AtomicInteger pings = new AtomicInteger();
        Subscriptions subscriptions = new Subscriptions(new Hurried(), FAILURES, receiver -> {
            opened.incrementAndGet();
            return new Confirming(receiver, true) {
                @Override
                public void ping() {
                    super.ping();
                    pings.incrementAndGet();
                }
            };
        });
        Counting counting = new Counting();
        subscriptions.add("channel", counting);
        try {
            await().atMost(LONG).untilAtomic(pings, greaterThan(5));
            assertThat(opened).hasValue(1);
            assertThat(counting.ended).hasValue(0);
        } finally {
            subscriptions.close();
        }
    }

    @Test
    void aConnectionThatIsDoubtedIsOpenedAgain() {
        Subscriptions subscriptions =
                new Subscriptions(Environment.system(), FAILURES, receiver -> new Confirming(receiver, true));
        Counting counting = new Counting();
        subscriptions.add("channel", counting);
        try {
            await().atMost(LONG).untilAtomic(counting.begun, is(1));
            subscriptions.doubt();
            await().atMost(LONG).untilAtomic(counting.begun, is(2));
            assertThat(counting.ended).hasValue(1);
        } finally {
            subscriptions.close();
        }
    }

    @Test
    void doubtsThatFollowEachOtherCloseOneConnection() {
        AtomicInteger opened = new AtomicInteger();
        AtomicInteger closesOfTheSecond = new AtomicInteger();
        // The clock runs at a twentieth of its speed, so that the second before the next doubt is long enough for a
        // busy machine.
        Environment slow = new ShiftedEnvironment() {
            @Override
            public long nanoTime() {
                return super.nanoTime() / 20;
            }
        };
        Subscriptions subscriptions = new Subscriptions(slow, FAILURES, receiver -> {
            int number = opened.incrementAndGet();
            return new Confirming(receiver, true) {
                @Override
                public void close() {
                    if (number == 2) {
                        closesOfTheSecond.incrementAndGet();
                    }
                    super.close();
                }
            };
        });
        Counting counting = new Counting();
        subscriptions.add("channel", counting);
        try {
            await().atMost(LONG).untilAtomic(counting.begun, is(1));
            subscriptions.doubt();
            await().atMost(LONG).untilAtomic(counting.begun, is(2));
            subscriptions.doubt();
            assertThat(closesOfTheSecond).hasValue(0);
        } finally {
            subscriptions.close();
        }
    }

    @Test
    void aSubscriptionThatWasRefusedIsAskedForAgain() {
        AtomicInteger asked = new AtomicInteger();
        Subscriptions subscriptions = new Subscriptions(new Hurried(), FAILURES, receiver -> {
            SubscriptionSource.Receiver busyAtFirst = receiver;
            return new Confirming(receiver, true) {
                @Override
                public void subscribe(Collection<String> channels) {
                    if (asked.incrementAndGet() < 3) {
                        busyAtFirst.refused(new ServerError("BUSY a script runs"));
                    } else {
                        super.subscribe(channels);
                    }
                }
            };
        });
        Counting counting = new Counting();
        subscriptions.add("channel", counting);
        try {
            await().atMost(LONG).untilAtomic(counting.begun, greaterThan(0));
            assertThat(counting.ended).as("the connection stays").hasValue(0);
        } finally {
            subscriptions.close();
        }
    }

    /** A connection on which each subscription is confirmed at once. */
    private static class Confirming implements SubscriptionSource.Line {
        private final SubscriptionSource.Receiver receiver;
        private final boolean answers;
        private final CountDownLatch end = new CountDownLatch(1);

        Confirming(SubscriptionSource.Receiver receiver, boolean answers) {
            this.receiver = receiver;
            this.answers = answers;
        }

        @Override
        public void ping() {
            if (answers) {
                receiver.alive();
            }
        }

        @Override
        public void subscribe(Collection<String> channels) {
            channels.forEach(receiver::confirmed);
        }

        @Override
        public void unsubscribe(String channel) {}

        @Override
        public void listen() {
            try {
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void close() {
            end.countDown();
        }
    }
}
