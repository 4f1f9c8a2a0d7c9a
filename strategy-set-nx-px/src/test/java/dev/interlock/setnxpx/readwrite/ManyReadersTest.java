// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx.readwrite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.setnxpx.Fixture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A thousand readers in eight processes, and a writer in another one. */
class ManyReadersTest {
    private static final String NAME = "crowded";
    private static final String READERS_KEY = Fixture.key(NAME) + ":rw:readers";
    private static final int PROCESSES = 8;
    private static final int READERS = 125;
    private static final int WRITES = 5;

    /** Short, so that the test waits for two, and long enough for a process that stands still for some seconds. */
    private static final Duration LEASE = Duration.ofSeconds(15);

    @Test
    @Tag("deep")
    void aThousandReadersReadTogetherAndAWriterComesWhenTheyHaveGoneOrDied() throws Exception {
        try (Fixture redis = new Fixture("interlock")) {
            List<ReaderProcess> processes = new ArrayList<>();
            try {
                for (int i = 0; i < PROCESSES; i++) {
                    processes.add(ReaderProcess.start(redis.server.uri(), NAME, READERS, LEASE));
                }
                expect("connected", processes);
                DistributedLock writer = redis.factory().getReadWriteLock(NAME).writeLock();
                List<String> doomed = allRead(redis, processes);
                theirLeasesAreRenewedAndKeepAWriterOut(redis, writer);
                aKilledProcessKeepsAWriterOutForALeaseAtMost(redis, writer, processes, doomed);
                aWriterHasItsTurnsAndNoReaderSeesIt(redis, writer, processes);
            } finally {
                processes.forEach(ReaderProcess::close);
            }
        }
    }

    /** Makes a thousand threads hold the read lock at once. Returns the owner tokens of those of the first process. */
    private static List<String> allRead(Fixture redis, List<ReaderProcess> processes) throws InterruptedException {
        List<ReaderProcess> first = processes.subList(0, 1);
        first.forEach(process -> process.say("read"));
        expect("all read", first);
        List<String> ofTheFirst = strings(redis.server.command("ZRANGE", READERS_KEY, "0", "-1"));
        assertThat(ofTheFirst).hasSize(READERS);
        List<ReaderProcess> others = processes.subList(1, processes.size());
        others.forEach(process -> process.say("read"));
        expect("all read", others);
        assertThat(readersWithALease(redis)).as("readers at once").isEqualTo(PROCESSES * READERS);
        return ofTheFirst;
    }

    private static void theirLeasesAreRenewedAndKeepAWriterOut(Fixture redis, DistributedLock writer)
            throws InterruptedException {
        long lastEnd = ends(redis).max().orElseThrow();
        assertThat(writer.tryLock()).as("whether a writer gets in").isFalse();
        assertThat(writer.tryLock(LEASE.plusSeconds(1).toMillis(), TimeUnit.MILLISECONDS))
                .as("whether a writer gets in that waits for longer than a lease")
                .isFalse();
        assertThat(readersWithALease(redis)).as("readers after a lease").isEqualTo(PROCESSES * READERS);
        assertThat(ends(redis).min().orElseThrow())
                .as("the first end of a lease, after all were renewed")
                .isGreaterThan(lastEnd);
    }

    private static void aKilledProcessKeepsAWriterOutForALeaseAtMost(
            Fixture redis, DistributedLock writer, List<ReaderProcess> processes, List<String> doomed)
            throws InterruptedException {
        processes.remove(0).close();
        List<String> command = new ArrayList<>(List.of("ZMSCORE", READERS_KEY));
        command.addAll(doomed);
        long end = strings(redis.server.command(command.toArray(String[]::new))).stream()
                .mapToLong(ManyReadersTest::millis)
                .max()
                .orElseThrow();
        assertThat(end - now(redis))
                .as("what is left of the leases of dead readers")
                .isLessThanOrEqualTo(LEASE.toMillis());
        processes.forEach(process -> process.say("give back"));
        assertThat(writer.tryLock(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .as("whether the writer gets in after the leases of dead readers")
                .isTrue();
        assertThat(now(redis))
                .as("when the writer is in, in ms by the server's clock")
                .isGreaterThanOrEqualTo(end);
        write(redis);
        giveBack(writer);
        expect("all given back", processes);
    }

    private static void aWriterHasItsTurnsAndNoReaderSeesIt(
            Fixture redis, DistributedLock writer, List<ReaderProcess> processes) throws InterruptedException {
        processes.forEach(process -> process.say("go on"));
        int round = processes.size() * READERS;
        long before = readsOnceAbove(round, processes);
        long last = 0;
        int turns = 0;
        for (int i = 0; i < WRITES; i++) {
            assertThat(writer.tryLock(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .as("whether the writer has turn " + i)
                    .isTrue();
            Optional<Lease> lease = writer.lease();
            if (lease.isPresent()) {
                write(redis);
                long token = lease.get().fencingToken().orElseThrow();
                assertThat(token).isGreaterThan(last);
                last = token;
                turns++;
            }
            giveBack(writer);
        }
        assertThat(turns).as("turns that were not lost").isGreaterThanOrEqualTo(WRITES - 1);
        readsOnceAbove(before + round, processes);
        for (ReaderProcess process : processes) {
            ReaderProcess.Account account = process.stop();
            assertThat(account.writersSeen())
                    .as("how often a reader saw the writer")
                    .isEqualTo(0);
            assertThat(account.lost()).as("leases that readers lost").isEqualTo(0);
        }
    }

    /** A turn that was handed over is good for two seconds, in which a busy machine may not come to renew it. */
    private static void giveBack(DistributedLock writer) {
        try {
            writer.unlock();
        } catch (LeaseLostException e) {
            // The next turn is another one.
        }
    }

    /** Waits until readers have read more than a number of times since they were told to go on. Returns how often. */
    private static long readsOnceAbove(long number, List<ReaderProcess> processes) {
        return await("more than " + number + " reads")
                .atMost(Duration.ofMinutes(5))
                .until(() -> reads(processes), reads -> reads > number);
    }

    private static long reads(List<ReaderProcess> processes) throws InterruptedException {
        long reads = 0;
        for (ReaderProcess process : processes) {
            reads += process.account().reads();
        }
        return reads;
    }

    /** Leaves a mark while the write lock is held, long enough for a reader that is not kept out to see it. */
    private static void write(Fixture redis) throws InterruptedException {
        redis.server.command("SET", ReaderProcess.WRITING, "yes");
        assertThat(redis.server.command("EXISTS", READERS_KEY))
                .as("readers beside the writer")
                .isEqualTo(0L);
        TimeUnit.MILLISECONDS.sleep(50);
        redis.server.command("DEL", ReaderProcess.WRITING);
    }

    private static void expect(String line, Collection<ReaderProcess> processes) throws InterruptedException {
        for (ReaderProcess process : processes) {
            assertThat(process.next()).isEqualTo(line);
        }
    }

    private static long readersWithALease(Fixture redis) {
        return (Long) redis.server.command("ZCOUNT", READERS_KEY, "(" + now(redis), "+inf");
    }

    /** When the leases of readers end, in ms by the server's clock. */
    private static LongStream ends(Fixture redis) {
        List<String> entries = strings(redis.server.command("ZRANGE", READERS_KEY, "0", "-1", "WITHSCORES"));
        return LongStream.range(0, entries.size() / 2).map(i -> millis(entries.get(Math.toIntExact(2 * i + 1))));
    }

    private static long now(Fixture redis) {
        List<String> time = strings(redis.server.command("TIME"));
        return TimeUnit.SECONDS.toMillis(Long.parseLong(time.get(0))) + Long.parseLong(time.get(1)) / 1000;
    }

    private static long millis(String score) {
        return (long) Double.parseDouble(score);
    }

    private static List<String> strings(Object reply) {
        return ((List<?>) reply).stream().map(String::valueOf).toList();
    }
}
