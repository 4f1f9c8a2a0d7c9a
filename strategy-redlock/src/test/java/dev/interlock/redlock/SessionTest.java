// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** When a server is shed. */
class SessionTest {
    private static final long SHED_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private static final RedisLink UNUSED = new RedisLink() {
        @Override
        public Sent send(RedisCommand command, Consumer<Reply> onReply) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    };

    private final Session session = new Session(Environment.system(), "a server", UNUSED, "", null, SHED_NANOS);

    private static long millis(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }

    @Test
    void aServerThatTricklesAnswersIsShedForTheOldestThatItOwes() {
        for (int i = 0; i < 100; i++) {
            session.noteSent(millis(i));
        }
        assertThat(session.isShed(millis(100))).isFalse();
        session.noteAnswer();
        assertThat(session.isShed(millis(300))).isTrue();
        session.noteAnswer();
        assertThat(session.isShed(millis(400))).isTrue();
        assertThat(session.owingNanos(millis(400))).isEqualTo(millis(398));
    }

    @Test
    void aServerThatHasCaughtUpIsAskedAgain() {
        session.noteSent(millis(0));
        session.noteSent(millis(900));
        assertThat(session.isShed(millis(1_000))).isTrue();
        session.noteAnswer();
        assertThat(session.isShed(millis(1_000))).isFalse();
        session.noteAnswer();
        assertThat(session.isShed(millis(5_000))).isFalse();
    }

    @Test
    void aServerIsOwedNoMoreAnswersThanItCanGiveSoon() {
        int sent = 0;
        while (!session.isFull()) {
            session.noteSent(millis(0));
            sent++;
        }
        assertThat(sent).isEqualTo(512);
        session.noteAnswer();
        assertThat(session.isFull()).isFalse();
    }
}
