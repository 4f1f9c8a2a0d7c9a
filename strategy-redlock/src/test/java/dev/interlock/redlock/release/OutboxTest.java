// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.release;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.redis.RedisCommand;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The releases that are kept for a server that is away: a bounded number, in their order, while they are of use. */
class OutboxTest {
    private static final int CAPACITY = 10_000;

    private final Outbox outbox = new Outbox();

    private static Outbox.Undelivered release(int number, long untilNanos) {
        return new Outbox.Undelivered(RedisCommand.of("DEL", "lock-" + number), untilNanos);
    }

    private List<Outbox.Undelivered> pollAll(long nowNanos) {
        List<Outbox.Undelivered> all = new ArrayList<>();
        for (Outbox.Undelivered next = outbox.poll(nowNanos); next != null; next = outbox.poll(nowNanos)) {
            all.add(next);
        }
        return all;
    }

    @Test
    void aFullOutboxDropsTheOldestReleases() {
        List<Outbox.Undelivered> releases = new ArrayList<>();
        for (int i = 0; i < CAPACITY + 3; i++) {
            releases.add(release(i, 1_000));
            outbox.add(releases.get(i));
        }

        assertThat(outbox.size()).isEqualTo(CAPACITY);
        assertThat(pollAll(0)).isEqualTo(releases.subList(3, CAPACITY + 3));
        assertThat(outbox.isEmpty()).isTrue();
    }

    @Test
    void aReleaseOfALeaseThatIsOverIsNotDelivered() {
        Outbox.Undelivered stillOfUse = release(1, 11);
        outbox.add(release(0, 10));
        outbox.add(stillOfUse);
        outbox.add(release(2, 9));

        assertThat(pollAll(10)).containsExactly(stillOfUse);
    }

    @Test
    void timesMayOverflow() {
        Outbox.Undelivered later = release(0, Long.MIN_VALUE + 5);
        outbox.add(later);

        assertThat(pollAll(Long.MAX_VALUE - 5)).containsExactly(later);
    }
}
