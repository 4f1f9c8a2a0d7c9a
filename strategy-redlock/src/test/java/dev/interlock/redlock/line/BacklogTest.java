// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.line;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.redis.RedisCommand;
import dev.interlock.redlock.release.Outbox;
import org.junit.jupiter.api.Test;

/** What waits for one node. */
class BacklogTest {
    private final Backlog<Integer> backlog = new Backlog<>();

    @Test
    void releasesNoLongerWaitAmongTheRequestsOnceThereAreMany() {
        int requests = 0;
        while (!backlog.isFull()) {
            backlog.add(requests++);
        }

        assertThat(requests).isEqualTo(4_096);
        backlog.remove(7);
        assertThat(backlog.isFull()).isFalse();
    }

    @Test
    void requestsKeepTheirOrderAndReleasesOutliveThem() {
        Outbox.Undelivered release = new Outbox.Undelivered(RedisCommand.of("DEL", "lock"), 10);
        backlog.add(1);
        backlog.add(2);
        backlog.addUndelivered(release);

        assertThat(backlog.first()).isEqualTo(1);
        assertThat(backlog.size()).isEqualTo(3);
        assertThat(backlog.removeAll()).containsExactly(1, 2);
        assertThat(backlog.isEmpty()).isFalse();
        assertThat(backlog.pollUndelivered(0)).isEqualTo(release);
        assertThat(backlog.isEmpty()).isTrue();
    }
}
