// SPDX-License-Identifier: Apache-2.0
package dev.interlock.peers;

import dev.interlock.conformance.history.Event.Op;
import dev.interlock.conformance.history.Recorder;
import dev.interlock.peers.client.Make;
import dev.interlock.peers.client.Peer;
import dev.interlock.peers.client.PeerWire;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import redis.clients.jedis.RedisClient;

/**
 * A JVM of its own with a lock of ours or of another make, which takes the same commands as the processes in other
 * languages.
 */
final class LockProcess {
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** Longer than a process stands still on a busy machine. */
    private static final Duration LEASE = Duration.ofMinutes(1);

    /** Longer than that of others, so that a key of theirs shows if we have extended it. */
    private static final Duration OUR_LEASE = LEASE.multipliedBy(2);

    private static final Duration WAIT = Duration.ofSeconds(2);

    /** One hold in so many is extended. */
    private static final long EXTENDED = 10;

    private final Make make;
    private final Peer lock;
    private final RedisClient redis;
    private final String name;
    private final String key;
    private final Path history;
    private final BufferedReader commands =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));

    private LockProcess(Make make, Peer lock, RedisClient redis, String name, String key, Path history) {
        this.make = make;
        this.lock = lock;
        this.redis = redis;
        this.name = name;
        this.key = key;
        this.history = history;
    }

    /** Starts a process; of several servers, the first has the counter of the load. */
    static ClientProcess start(Make make, PeerWire wire, String ports, String name, Path history) {
        return ClientProcess.start(
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        // The recorder keeps what it has written: some 300 bytes for each pair, half a million of them
                        // in an hour.
                        "-Xmx512m",
                        // It does not live long enough to earn what more compilers and collectors cost.
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        LockProcess.class.getName(),
                        make.name(),
                        wire.name(),
                        ports,
                        name,
                        history.toString()),
                Map.of());
    }

    public static void main(String[] args) throws IOException {
        Make make = Make.valueOf(args[0]);
        PeerWire wire = PeerWire.valueOf(args[1]);
        String ports = args[2];
        try (Peer lock = make.open(wire, ports);
                RedisClient redis = RedisClient.create("127.0.0.1", Integer.parseInt(ports.split(",")[0]))) {
            new LockProcess(make, lock, redis, args[3], wire.key(), Path.of(args[4])).obey();
        }
        System.exit(0);
    }

    private void obey() throws IOException {
        System.out.println("ready");
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            String[] words = line.split(" ");
            switch (words[0]) {
                case "acquire" -> say(lock.acquire(millis(words[1]), millis(words[2])));
                case "lock" -> {
                    lock.lock(millis(words[1]));
                    say(true);
                }
                case "release" -> say(lock.release());
                case "extend" -> say(lock.extend(millis(words[1])));
                case "load" -> System.out.println(load(Double.parseDouble(words[1]), words[2]));
                // It has ended the load before it.
                case "stop" -> {}
                default -> throw new IllegalArgumentException(line);
            }
        }
    }

    private static Duration millis(String number) {
        return Duration.ofMillis(Long.parseLong(number));
    }

    private static void say(boolean done) {
        System.out.println(done ? "yes" : "no");
    }

    /** Counts for a time, or until there is another command. */
    private long load(double seconds, String counter) throws IOException {
        long until = System.nanoTime() + (long) (seconds * 1e9);
        Duration lease = make.isOurs() ? OUR_LEASE : LEASE;
        long written = 0;
        try (Recorder recorder = Recorder.toFile(history)) {
            // A client that polls may find the lock taken each time.
            while ((System.nanoTime() - until < 0 && !commands.ready()) || written == 0) {
                recorder.invoke(name, Op.ACQUIRE, key);
                if (!lock.acquire(lease, WAIT)) {
                    recorder.failed(name, Op.ACQUIRE, key);
                    continue;
                }
                recorder.acquired(System.nanoTime(), name, key, OptionalLong.empty(), OptionalLong.empty());
                String before = redis.get(counter);
                redis.set(counter, Long.toString(before == null ? 1 : Long.parseLong(before) + 1));
                written++;
                if (written % EXTENDED == 0 && make.extendsLeases() && !lock.extend(lease)) {
                    throw new IllegalStateException("the lock could not be extended");
                }
                if (!make.isOurs()) {
                    requireNotExtendedByOthers();
                }
                recorder.invoke(name, Op.RELEASE, key);
                if (lock.release()) {
                    recorder.released(name, key);
                } else {
                    recorder.failed(name, Op.RELEASE, key);
                }
                LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(LONGEST_PAUSE_NANOS));
            }
        }
        return written;
    }

    /** The release tells of another value, but not of another time to live. */
    private void requireNotExtendedByOthers() {
        long left = redis.pttl(key);
        if (left > LEASE.toMillis()) {
            throw new IllegalStateException("somebody has extended this lock to " + left + " ms");
        }
    }
}
