// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.lead;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.engine.environment.Environment;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Converts deadlines of the lead to local time, with clocks that the test sets. */
class LeadReplyTest {
    private static final long SERVER_MICROS = 1_700_000_000_000_000L;
    private static final double DRIFT = 0.01;

    private long nanos = 5_000;
    private long millis = 1_000_000;

    private final Environment clocks = new Environment() {
        @Override
        public long nanoTime() {
            return nanos;
        }

        @Override
        public long currentTimeMillis() {
            return millis;
        }

        @Override
        public void park(Object blocker, long parkNanos) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void unpark(Thread thread) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Thread newThread(String name, Runnable task) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long nextLong(long bound) {
            throw new UnsupportedOperationException();
        }

        @Override
        public String newToken() {
            throw new UnsupportedOperationException();
        }
    };

    private final LeadReply asked = new LeadReply(0, nanos, millis, 1, SERVER_MICROS, nanos);

    private void pass(long passedMillis) {
        nanos += TimeUnit.MILLISECONDS.toNanos(passedMillis);
        millis += passedMillis;
    }

    @Test
    void aDeadlineCountsFromWhenTheQuestionWasSentLessTheDrift() {
        long end = asked.endNanos(SERVER_MICROS + 1_000_000, DRIFT, clocks);
        assertThat(end).isEqualTo(5_000 + TimeUnit.MILLISECONDS.toNanos(990));
        pass(700);
        assertThat(asked.endNanos(SERVER_MICROS + 1_000_000, DRIFT, clocks))
                .as("the same instant, whenever the message comes")
                .isEqualTo(end);
    }

    @Test
    void aDeadlineThatWasOverWhenTheLeadAnsweredIsOver() {
        assertThat(asked.endNanos(SERVER_MICROS - 1, DRIFT, clocks)).isLessThan(nanos);
    }

    @Test
    void timeInWhichTheMachineWasSuspendedIsOver() {
        millis += 600;
        assertThat(asked.endNanos(SERVER_MICROS + 1_000_000, DRIFT, clocks))
                .isEqualTo(5_000 + TimeUnit.MILLISECONDS.toNanos(990 - 580));
    }

    @Test
    void aWallClockThatWasSetBackGivesNoTime() {
        millis -= 600;
        assertThat(asked.endNanos(SERVER_MICROS + 1_000_000, DRIFT, clocks))
                .isEqualTo(5_000 + TimeUnit.MILLISECONDS.toNanos(990));
    }
}
