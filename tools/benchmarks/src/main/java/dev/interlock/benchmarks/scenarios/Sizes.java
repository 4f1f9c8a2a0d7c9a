// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scenarios;

import java.time.Duration;

/**
 * The sizes of the scenarios.
 *
 * @param time for how long each is measured; it is warmed up for half of that
 * @param lease the lease of locks that are held
 * @param threads how many threads are many
 * @param manyThreads how many threads are very many
 * @param clients how many clients compete
 * @param threadsPerClient with how many threads each, where it is not one
 * @param waiters how many wait for a lock that is not freed
 * @param locks how many locks are held at once
 * @param manyLocks how many locks are very many
 * @param pairs how many locks have been given up before one is held
 * @param idle for how long a client is idle before its next pair
 * @param settled for how long a lock is held before its waiter comes, so that the holder has opened all connections
 *     that it needs
 * @param watched for how long a waiter is watched
 */
public record Sizes(
        Duration time,
        Duration lease,
        int threads,
        int manyThreads,
        int clients,
        int threadsPerClient,
        int waiters,
        int locks,
        int manyLocks,
        int pairs,
        Duration idle,
        Duration settled,
        Duration watched) {
    public static Sizes full(Duration time) {
        return new Sizes(
                time,
                Duration.ofSeconds(6),
                64,
                1_000,
                8,
                8,
                200,
                10_000,
                100_000,
                1_000,
                Duration.ofSeconds(10),
                Duration.ofSeconds(15),
                Duration.ofMinutes(1));
    }
}
