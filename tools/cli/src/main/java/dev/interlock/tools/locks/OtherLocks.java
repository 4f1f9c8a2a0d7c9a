// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.locks;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.LockKeys;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.connect.ClientLibrary;
import dev.interlock.redis.connect.RedisNodes;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Looks for locks of strategies whose keys say only that a lock is taken, and until when. Such a key is found by the name of its lock, and
 * not the other way round. What it holds is a secret of the holder, and stays in here.
 */
public final class OtherLocks implements AutoCloseable {
    /** The strategies, in the order of their names. */
    public static final List<String> STRATEGIES = List.of("redisson", "redlock", "setnx-getset");

    private static final Pattern REDISSONS_HOLD = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}:.+");
    private static final Pattern TIMESTAMP = Pattern.compile("\\d{9,16}(\\.\\d{1,40})?");

    /** A number that is no time in seconds for the next thousands of years. */
    private static final BigDecimal LEAST_MILLIS = new BigDecimal(100_000_000_000L);

    private final LockConfig config;
    private final RedisNode node;

    OtherLocks(LockConfig config) {
        this.config = config;
        this.node = RedisNodes.open(ClientLibrary.INTERLOCK, config, Environment.system());
    }

    /**
     * A key that says that a lock is taken.
     *
     * @param strategy the strategy that keeps such keys
     * @param key the key
     * @param remaining for how long it is taken if the lease is not extended; empty if for ever
     * @param limits what cannot be seen, or is not certain
     */
    public record Trace(String strategy, String key, Optional<Duration> remaining, String limits) {}

    /** Looks for a lock in the keys of each strategy. */
    List<Trace> look(String name) {
        Stream<Function<String, Optional<Trace>>> looks = Stream.of(this::redisson, this::redlock, this::setnxGetset);
        return looks.map(look -> ifAllowed(look, name))
                .flatMap(Optional::stream)
                .toList();
    }

    /** These keys are outside of what an access control list for set-nx-px allows. */
    private static Optional<Trace> ifAllowed(Function<String, Optional<Trace>> look, String name) {
        try {
            return look.apply(name);
        } catch (LockBackendException e) {
            if (e.reason() == Reason.REFUSED) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private Optional<Trace> redisson(String name) {
        String key = hasDefaultPrefix() ? name : inBraces(name);
        // A hash of this name may be anything, and large. That of a lock that nobody shares has one field.
        if (!"hash".equals(call("TYPE", key)) || !Long.valueOf(1).equals(call("HLEN", key))) {
            return Optional.empty();
        }
        boolean held = call("HKEYS", key) instanceof List<?> fields
                && fields.size() == 1
                && REDISSONS_HOLD.matcher(String.valueOf(fields.get(0))).matches();
        return held
                ? Optional.of(new Trace(
                        "redisson",
                        key,
                        remaining(key),
                        "a plain RLock has the same key; who holds it and who waits is not shown"))
                : Optional.empty();
    }

    private Optional<Trace> redlock(String name) {
        String key = new LockKeys(config.keyPrefix()).lock(name);
        return "string".equals(call("TYPE", key))
                ? Optional.of(new Trace(
                        "redlock",
                        key,
                        remaining(key),
                        "one server does not decide: the lock is held if most of them have this key with the same"
                                + " value; who holds it and who waits is not shown"))
                : Optional.empty();
    }

    private Optional<Trace> setnxGetset(String name) {
        String key = (hasDefaultPrefix() ? "" : config.keyPrefix() + ":") + "lock." + name;
        String value = "string".equals(call("TYPE", key)) ? String.valueOf(call("GET", key)) : "";
        if (!TIMESTAMP.matcher(value).matches()) {
            return Optional.empty();
        }
        BigDecimal until = new BigDecimal(value);
        long millis = (until.compareTo(LEAST_MILLIS) < 0 ? until.movePointRight(3) : until).longValue();
        Duration left = Duration.ofMillis(millis - System.currentTimeMillis());
        return left.isNegative()
                ? Optional.empty()
                : Optional.of(new Trace(
                        "setnx-getset",
                        key,
                        Optional.of(left),
                        "by the clock of this machine; the key names no holder, and those who wait leave no trace"));
    }

    private boolean hasDefaultPrefix() {
        return config.keyPrefix().equals(LockConfig.builder().build().keyPrefix());
    }

    private String inBraces(String name) {
        return config.keyPrefix() + ":{" + name + "}";
    }

    private Optional<Duration> remaining(String key) {
        return call("PTTL", key) instanceof Long millis && millis >= 0
                ? Optional.of(Duration.ofMillis(millis))
                : Optional.empty();
    }

    private Object call(String command, String key) {
        Object reply = node.call(RedisCommand.of(command, key), config.commandTimeout());
        return reply == null ? "" : reply;
    }

    @Override
    public void close() {
        node.close();
    }
}
