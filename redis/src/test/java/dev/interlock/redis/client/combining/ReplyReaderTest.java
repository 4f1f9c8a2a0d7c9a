// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.combining;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.redis.client.Deadline;
import dev.interlock.redis.client.ShiftedEnvironment;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Callers that leave their reply to the thread of the connection. Here that thread reads nothing until it is woken.
 */
class ReplyReaderTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    private final AtomicInteger owed = new AtomicInteger();
    private final AtomicInteger waiting = new AtomicInteger();

    /** Run once, when the thread has seen that no reply is outstanding. */
    private final AtomicReference<Runnable> atTheEnd = new AtomicReference<>(() -> {});

    private volatile @Nullable Thread thread;

    private final ReplyReader reader = new ReplyReader(
            new ShiftedEnvironment() {
                @Override
                public void park(Object blocker, long nanos) {
                    super.park(blocker, Long.MAX_VALUE);
                }

                @Override
                public Thread newThread(String name, Runnable task) {
                    thread = super.newThread(name, task);
                    return thread;
                }
            },
            new ReplyReader.Source() {
                @Override
                public boolean owes(int count) {
                    boolean owes = owed.get() >= count;
                    if (!owes && count == 1) {
                        atTheEnd.getAndSet(() -> {}).run();
                    }
                    return owes;
                }

                @Override
                public boolean isWaiting() {
                    return waiting.get() > 0;
                }

                @Override
                public void write() {
                    owed.addAndGet(waiting.getAndSet(0));
                }

                @Override
                public boolean hasBuffered() {
                    return false;
                }

                @Override
                public boolean hasArrived() {
                    return owed.get() > 0;
                }

                @Override
                public boolean readNext(Deadline deadline) {
                    return owed.getAndUpdate(count -> Math.max(0, count - 1)) > 0;
                }

                @Override
                public void end(Throwable cause) {
                    throw new IllegalStateException(cause);
                }

                @Override
                public void abandon() {}
            });

    @AfterEach
    void stop() {
        reader.stop();
    }

    @Test
    void aReplyThatIsLeftToTheThreadWhenItGoesToRestIsRead() {
        beginAtRest();
        atTheEnd.set(() -> {
            owed.set(1);
            reader.noteSent();
            assertThat(reader.read(() -> false)).isFalse();
            reader.readInBackground();
        });
        sendAndLeave();
        await().atMost(LONG).until(() -> owed.get() == 0);
    }

    @Test
    void aCommandThatIsLeftToTheThreadWhenItGoesToRestIsWrittenAndItsReplyRead() {
        beginAtRest();
        atTheEnd.set(() -> {
            reader.noteSent();
            assertThat(reader.isAtWork()).isTrue();
            waiting.set(1);
        });
        sendAndLeave();
        await().atMost(LONG).until(() -> waiting.get() == 0 && owed.get() == 0);
    }

    /** Lets the thread begin, and park without a permit that would let it look once more. */
    private void beginAtRest() {
        reader.noteSent();
        Thread present = Objects.requireNonNull(thread);
        await().atMost(LONG).until(() -> present.getState() == Thread.State.WAITING);
    }

    private void sendAndLeave() {
        owed.set(1);
        reader.noteSent();
        reader.readInBackground();
    }
}
