// SPDX-License-Identifier: Apache-2.0
package dev.interlock.peers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.testservers.RedisServer;
import java.time.Duration;
import java.util.List;

/** A number in Redis that processes count up under one lock, by reading it and writing it back. */
final class SharedCounter {
    static final String KEY = "counter";

    private final RedisServer redis;

    SharedCounter(RedisServer redis) {
        this.redis = redis;
    }

    /** The number. */
    long value() {
        Object value = redis.command("GET", KEY);
        return value == null ? 0 : Long.parseLong(value.toString());
    }

    /** Has processes count for a time, requires that no update is lost, and returns how many each has made. */
    List<Long> count(List<ClientProcess> processes, Duration time) {
        processes.forEach(process -> process.load(time, KEY));
        List<Long> counts = processes.stream().map(ClientProcess::loaded).toList();
        requireAll(counts);
        return counts;
    }

    /** Requires that the number is the sum of what the processes have counted, and that each had its turn. */
    void requireAll(List<Long> counts) {
        assertThat(counts).as("each has had its turn").allMatch(count -> count > 0);
        assertThat(value())
                .as("updates, of which %s were made", counts)
                .isEqualTo(counts.stream().mapToLong(Long::longValue).sum());
    }
}
