// SPDX-License-Identifier: Apache-2.0
package dev.interlock.peers;

import dev.interlock.conformance.history.Event.Op;
import dev.interlock.conformance.history.Recorder;
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
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import redis.clients.jedis.RedisClient;

/** A JVM of its own with a lock of ours or of Spring's, which obeys as the processes in other languages do. */
final class LockProcess {
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final Duration WAIT = Duration.ofSeconds(2);

    private final Peer lock;
    private final RedisClient redis;
    private final String name;
    private final String key;
    private final Path history;

    /** Whose lock it is. */
    enum Make {
        OURS,
        SPRING
    }

    private LockProcess(Peer lock, RedisClient redis, String name, String key, Path history) {
        this.lock = lock;
        this.redis = redis;
        this.name = name;
        this.key = key;
        this.history = history;
    }

    static PeerProcess start(Make make, Wire wire, String port, String name, Path history) {
        return PeerProcess.start(
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        // The recorder keeps what it has written: some 300 bytes for each pair, half a million of them
                        // in an hour.
                        "-Xmx512m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        LockProcess.class.getName(),
                        make.name(),
                        wire.name(),
                        port,
                        name,
                        history.toString()),
                Map.of());
    }

    public static void main(String[] args) throws IOException {
        Wire wire = Wire.valueOf(args[1]);
        int port = Integer.parseInt(args[2]);
        Peer lock = Make.valueOf(args[0]) == Make.OURS
                ? new OurPeer(wire.factory(args[2]))
                : new SpringPeer(port, RedisLockType.SPIN_LOCK, Wire.NAME);
        try (lock;
                RedisClient redis = RedisClient.create("127.0.0.1", port)) {
            new LockProcess(lock, redis, args[3], wire.key(), Path.of(args[4])).obey();
        }
        System.exit(0);
    }

    private void obey() throws IOException {
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        System.out.println("ready");
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            String[] words = line.split(" ");
            if (!words[0].equals("load")) {
                throw new IllegalArgumentException(line);
            }
            System.out.println(load(Double.parseDouble(words[1]), words[2]));
        }
    }

    private long load(double seconds, String counter) {
        long until = System.nanoTime() + (long) (seconds * 1e9);
        long written = 0;
        try (Recorder recorder = Recorder.toFile(history)) {
            // Whoever polls may find the lock taken throughout.
            while (System.nanoTime() - until < 0 || written == 0) {
                recorder.invoke(name, Op.ACQUIRE, key);
                if (!lock.acquire(LEASE, WAIT)) {
                    recorder.failed(name, Op.ACQUIRE, key);
                    continue;
                }
                recorder.acquired(System.nanoTime(), name, key, OptionalLong.empty(), OptionalLong.empty());
                String before = redis.get(counter);
                redis.set(counter, Long.toString(before == null ? 1 : Long.parseLong(before) + 1));
                written++;
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
}
