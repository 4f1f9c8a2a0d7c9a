// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.inspect;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The format in which a lock client of another make writes a lock, and the settings by which Interlock shares locks
 * with it. Immutable, and safe to use from any thread.
 */
public enum PeerFormat {
    /** The {@code Lock} of redis-py. */
    REDIS_PY(
            "redis-py Lock (Python)",
            "the name",
            "32 hexadecimal digits, a UUID of version 1",
            "\\p{XDigit}{12}1\\p{XDigit}{3}[89ab]\\p{XDigit}{15}",
            "timeout; none by default",
            compares(),
            "polls, every 100 ms",
            "wire=plain"),
    /** The packages {@code redlock} 4 and 5, and {@code redlock-universal}, of Node.js. */
    NODE_REDLOCK(
            "redlock 4 and 5, redlock-universal (Node.js)",
            "the name, on each server",
            "32 hexadecimal digits",
            "\\p{XDigit}{32}",
            "the ttl of each call",
            compares(),
            "polls, every 100 to 300 ms, 10 times; redlock-universal every 100 ms, 3 times",
            "wire=plain"),
    /** The {@code RedisLockRegistry} of Spring Integration. */
    SPRING_REGISTRY(
            "Spring Integration RedisLockRegistry (Java)",
            "registryKey, a colon, and the name",
            "a UUID, one for each registry",
            uuid(),
            "60 s, or that of the registry",
            compares() + "; PUB_SUB_LOCK announces it to its own kind",
            "SPIN_LOCK polls, every 100 ms; PUB_SUB_LOCK is told with wire-announce (up to 6.5.2 without the colon and what"
                    + " follows it), and otherwise asks again when its time is over",
            "wire=plain, wire-prefix=<registryKey>:, for PUB_SUB_LOCK wire-announce=<registryKey>-channel:{key}"),
    /** The Redis providers of ShedLock. */
    SHEDLOCK(
            "ShedLock, providers for Redis (Java)",
            "job-lock:, the environment, a colon, and the name",
            "ADDED:<time>@<host>:<UUID>",
            "ADDED:.*@.*:" + uuid(),
            "lockAtMostFor",
            "with safeUpdate(true) " + compares() + "; without, deletes whatever is there",
            "does not wait",
            "wire=plain, wire-prefix=job-lock:<environment>:"),
    /** The {@code RedisTemplate} executor of lock4j. */
    LOCK4J(
            "lock4j, RedisTemplate executor (Java)",
            "lock4j: and what the key builder makes",
            "32 hexadecimal digits, a UUID of version 4",
            "\\p{XDigit}{12}4\\p{XDigit}{3}[89ab]\\p{XDigit}{15}",
            "expire of each call, 30 s by default; with -1 it renews itself",
            compares(),
            "polls, every 100 ms, for 3 s",
            "wire=plain, wire-prefix=lock4j:"),
    /** The package {@code redsync} of Go. */
    REDSYNC(
            "redsync (Go)",
            "the name, on each server",
            "16 bytes in Base64",
            "[\\w+/]{22}==",
            "8 s by default",
            compares(),
            "polls, every 50 to 250 ms, 32 times",
            "wire=plain"),
    /** The package {@code redislock} of Go. */
    REDISLOCK(
            "redislock (Go)",
            "the name",
            "16 bytes in Base64 for URLs, and metadata",
            "[\\w-]{22}",
            "the ttl of each call",
            compares(),
            "does not wait unless told how",
            "wire=plain"),
    /** RedLock.net. */
    REDLOCK_NET(
            "RedLock.net (.NET)",
            "redlock: and the name, on each server",
            "a UUID",
            uuid(),
            "expiryTime of each call, which it renews itself",
            compares(),
            "polls, every retryTime",
            "wire=plain, wire-prefix=redlock:"),
    /** The library redlock-cs. */
    REDLOCK_CS(
            "redlock-cs (.NET)",
            "the name, on each server",
            "16 bytes that are no text, a UUID",
            "(?s)(?=.*\\uFFFD).{4,16}",
            "the ttl of each call",
            compares(),
            "polls, within 200 ms, 3 times",
            "wire=plain"),
    /** {@code LockTake} and {@code LockRelease} of StackExchange.Redis. */
    LOCK_TAKE(
            "StackExchange.Redis LockTake (.NET)",
            "the name",
            "what the caller says",
            "",
            "expiry of each call",
            "compares and deletes in a transaction",
            "does not wait",
            "wire=plain"),
    /** The library redlock4j of Java. */
    REDLOCK4J(
            "redlock4j (Java)",
            "the name, on each server",
            "40 hexadecimal digits",
            "[0-9a-f]{40}",
            "30 s by default",
            compares(),
            "told by keyspace notifications, which it turns on; polls, every 200 ms, if told to",
            "wire=plain"),
    /** The gem {@code redlock} of Ruby. */
    REDLOCK_RB(
            "redlock-rb (Ruby)",
            "the name, on each server",
            "a UUID",
            uuid(),
            "the ttl of each call",
            compares(),
            "polls, every 200 to 250 ms, 3 times",
            "wire=plain"),
    /** The library redlock-php. */
    REDLOCK_PHP(
            "redlock-php (PHP)",
            "the name, on each server",
            "13 hexadecimal digits",
            "[0-9a-f]{13}",
            "the ttl of each call",
            compares(),
            "polls, every 100 to 200 ms, 3 times",
            "wire=plain"),
    /** The mutexes for Redis of the library php-lock/lock. */
    PHP_LOCK(
            "php-lock/lock, PHPRedisMutex and RedisMutex (PHP)",
            "php-malkusch-lock: and the name, on each server; before version 3 lock_ and the name",
            "64 hexadecimal digits; before version 3 a number",
            "[1-9a-f][0-9a-f]{63}",
            "expireTimeout of the mutex; before version 3 timeout and a second",
            compares(),
            "polls, every 10 to 500 ms, for 3 s",
            "wire=plain, wire-prefix=php-malkusch-lock:, before version 3 wire-prefix=lock_"),
    /** The library redlock-py. */
    REDLOCK_PY(
            "redlock-py (Python)",
            "the name, on each server",
            "22 letters and digits",
            "[0-9A-Za-z]{22}",
            "the ttl of each call",
            compares(),
            "polls, every 200 ms, 3 times",
            "wire=plain"),
    /** The library redlock-cpp. */
    REDLOCK_CPP(
            "redlock-cpp (C++)",
            "the name, on each server",
            "40 hexadecimal digits, in capitals",
            "[0-9A-F]{40}",
            "the ttl of each call",
            compares(),
            "polls, every 100 to 300 ms, 3 times",
            "wire=plain"),
    /** The module {@code Redis::DistLock} of Perl. */
    DISTLOCK(
            "Redis::DistLock (Perl)",
            "the name, on each server",
            "24 bytes in Base64",
            "[\\w+/]{32}",
            "the ttl of each call",
            compares(),
            "polls, within 200 ms, 3 times",
            "wire=plain");

    private final String peer;
    private final String key;
    private final String value;
    private final Pattern pattern;
    private final String lease;
    private final String release;
    private final String waiting;
    private final String setting;

    PeerFormat(
            String peer,
            String key,
            String value,
            String pattern,
            String lease,
            String release,
            String waiting,
            String setting) {
        this.peer = peer;
        this.key = key;
        this.value = value;
        this.pattern = Pattern.compile(pattern);
        this.lease = lease;
        this.release = release;
        this.waiting = waiting;
        this.setting = setting;
    }

    private static String uuid() {
        return "\\p{XDigit}{8}-(\\p{XDigit}{4}-){3}\\p{XDigit}{12}";
    }

    private static String compares() {
        return "compares and deletes in a script";
    }

    /**
     * Returns the formats in which a value may have been written, as far as its looks tell.
     *
     * @param value what the key of a lock holds
     * @return the formats; empty if it looks like none that is known
     */
    public static List<PeerFormat> of(String value) {
        return Arrays.stream(values())
                .filter(format -> format.pattern.matcher(value).matches())
                .toList();
    }

    /**
     * Describes who may have written a value, without showing it.
     *
     * @param value what the key of a lock holds
     * @return a sentence without a full stop
     */
    public static String describe(String value) {
        List<String> peers = of(value).stream().map(PeerFormat::peer).toList();
        return peers.isEmpty()
                ? "held by a client of another make, in a format that is not known"
                : "held by a client of another make: the value looks like one of " + String.join("; or of ", peers);
    }

    /**
     * Returns the client.
     *
     * @return its name, and its language
     */
    public String peer() {
        return peer;
    }

    /**
     * Returns how the key is made.
     *
     * @return what the key is made of
     */
    public String key() {
        return key;
    }

    /**
     * Returns what the key holds.
     *
     * @return what the value looks like
     */
    public String value() {
        return value;
    }

    /**
     * Returns the time to live of the key.
     *
     * @return where it comes from
     */
    public String lease() {
        return lease;
    }

    /**
     * Returns how the client releases a lock.
     *
     * @return what it does to the key
     */
    public String release() {
        return release;
    }

    /**
     * Returns how the client waits.
     *
     * @return how it learns that a lock of ours was released
     */
    public String waiting() {
        return waiting;
    }

    /**
     * Returns what a factory of ours has to be told.
     *
     * @return its options
     */
    public String setting() {
        return setting;
    }

    /**
     * Tells whether the tests of this library run the client's own code against ours. Others we know by their format
     * alone.
     *
     * @return whether the client itself was run
     */
    public boolean isRun() {
        return switch (this) {
            case REDIS_PY, NODE_REDLOCK, SPRING_REGISTRY, SHEDLOCK, LOCK4J -> true;
            default -> false;
        };
    }
}
