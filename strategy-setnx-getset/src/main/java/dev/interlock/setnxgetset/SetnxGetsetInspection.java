// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxgetset;

import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.inspect.InspectedLock;
import dev.interlock.redis.inspect.LockInspection;
import dev.interlock.redis.inspect.LockParty;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Reads the timestamps of locks. They say until when a lock is taken, and nothing else. */
final class SetnxGetsetInspection implements LockInspection {
    private static final String NOTE =
            "by the clock of this machine; the key does not say who holds the lock, and those who wait leave no trace";

    /** A number that would be further ahead as a time in seconds is a time in milliseconds. */
    private static final Duration MOST_AHEAD = Duration.ofDays(36_500);

    private static final TimestampFormat SECONDS = new TimestampFormat(true, true);
    private static final TimestampFormat MILLISECONDS = new TimestampFormat(false, true);

    private final RedisNode node;
    private final Settings settings;
    private final Duration timeout;
    private final Environment env;

    SetnxGetsetInspection(RedisNode node, Settings settings, Duration timeout, Environment env) {
        this.node = node;
        this.settings = settings;
        this.timeout = timeout;
        this.env = env;
    }

    @Override
    public String keyPattern() {
        return settings.keyStart().replaceAll("[\\\\*?\\[\\]^]", "\\\\$0") + "*";
    }

    @Override
    public Optional<String> keyType() {
        return Optional.of("string");
    }

    @Override
    public Optional<String> lockName(String key) {
        return key.startsWith(settings.keyStart())
                ? Optional.of(key.substring(settings.keyStart().length()))
                : Optional.empty();
    }

    @Override
    public Optional<InspectedLock> look(String name) {
        return read(name)
                .flatMap(this::left)
                .map(seen -> new InspectedLock(
                        name,
                        LockParty.unknown(seen.timestamp().text()),
                        Optional.of(seen.left()),
                        OptionalLong.empty(),
                        List.of(),
                        OptionalLong.empty(),
                        OptionalLong.empty(),
                        Optional.empty(),
                        NOTE));
    }

    /** A timestamp that has not passed. */
    private record Seen(Timestamp timestamp, Duration left) {}

    /** Reads the key. A value that is no time at which a lock could end belongs to another program. */
    private Optional<Timestamp> read(String name) {
        String key = settings.key(name);
        if (!"string".equals(node.call(RedisCommand.of("TYPE", key), timeout))
                || !(node.call(RedisCommand.of("GET", key), timeout) instanceof String text)) {
            return Optional.empty();
        }
        return SECONDS.read(text)
                .filter(it -> ahead(it).compareTo(MOST_AHEAD) < 0)
                .or(() -> MILLISECONDS.read(text).filter(it -> ahead(it).compareTo(MOST_AHEAD) < 0));
    }

    private Duration ahead(Timestamp timestamp) {
        return Duration.ofMillis(timestamp.millis() - env.currentTimeMillis());
    }

    private Optional<Seen> left(Timestamp timestamp) {
        Duration left = ahead(timestamp);
        return left.isNegative() ? Optional.empty() : Optional.of(new Seen(timestamp, left));
    }

    /**
     * Deletes what is there now: a timestamp that differs from the one that was looked at may be the same holder's, who
     * renewed it.
     */
    @Override
    public boolean release(InspectedLock lock) {
        GuardedWrites writes = new GuardedWrites(node, env);
        long untilNanos = env.nanoTime() + timeout.toNanos();
        Optional<Seen> seen = read(lock.name()).flatMap(this::left);
        while (seen.isPresent() && env.nanoTime() - untilNanos < 0) {
            String text = seen.get().timestamp().text();
            if (text.equals(writes.deleteIfEqual(settings.key(lock.name()), text, untilNanos))) {
                return true;
            }
            seen = read(lock.name()).flatMap(this::left);
        }
        return false;
    }

    @Override
    public void close() {
        node.close();
    }
}
