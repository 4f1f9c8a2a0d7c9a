// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxgetset;

import dev.interlock.DistributedLockFactory;
import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LockConfig;
import dev.interlock.engine.LockEngine;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.OwnerToken;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.engine.protocol.Watch;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisNode;
import dev.interlock.setnxgetset.WrittenTimestamps.Written;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * A lock that is a key without a time to live, whose value is the time until which the lock is taken.
 *
 * <p>Unlike the historical algorithm, it guards {@code GETSET} and {@code DEL} by {@code WATCH}, so that a late
 * contender does not move the end of the holder's lease.
 *
 * @see <a href="https://redis.io/docs/latest/commands/setnx/">SETNX</a>, "Design pattern: Locking with SETNX"
 */
final class SetnxGetsetProtocol implements LeaseProtocol {
    /** The most looks at a key that others free or acquire meanwhile; after that the lock counts as taken. */
    private static final int ROUNDS = 3;

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final RedisNode node;
    private final Settings settings;
    private final ExpiryClock clock;
    private final Duration timeout;
    private final Environment env;
    private final GuardedWrites writes;
    private final TimestampRenewals renewals;

    /**
     * The values that the key may have for each token. Removed with the last claim that has the token. Another holder
     * may have written the same whole number. With whole numbers, the number of an acquisition without a reply is
     * therefore not kept, and none is used after a release that may have been carried out.
     */
    private final Map<OwnerToken, WrittenTimestamps> written = Collections.synchronizedMap(new WeakHashMap<>());

    private SetnxGetsetProtocol(RedisNode node, Settings settings, Duration timeout, Environment env) {
        this.node = node;
        this.settings = settings;
        this.clock = clock(settings, node::call, env);
        this.timeout = timeout;
        this.env = env;
        this.writes = new GuardedWrites(node, env);
        ExpiryClock urgent = clock(settings, node::callUrgently, env);
        this.renewals = new TimestampRenewals(node, settings, urgent, env, writes, this::written);
    }

    static DistributedLockFactory newFactory(RedisNode node, Settings settings, LockConfig config, Environment env) {
        LeaseProtocol protocol = newProtocol(node, settings, config, env);
        return LockEngine.newFactory(SetnxGetsetStrategyProvider.NAME, settings.profile(), protocol, config, env);
    }

    static LeaseProtocol newProtocol(RedisNode node, Settings settings, LockConfig config, Environment env) {
        return new SetnxGetsetProtocol(node, settings, config.commandTimeout(), env);
    }

    /** @param server asks the server, if its clock is the one that counts */
    private static ExpiryClock clock(
            Settings settings, BiFunction<RedisCommand, Duration, @Nullable Object> server, Environment env) {
        return switch (settings.clock()) {
            case CLIENT -> new WallClock((key, timeout) -> env.currentTimeMillis(), settings.maxAhead());
            case SERVER -> new WallClock((key, timeout) -> serverMillis(server, key, timeout), settings.maxAhead());
            case OBSERVED -> new ObservingClock(env, settings.maxAhead());
        };
    }

    private static long serverMillis(
            BiFunction<RedisCommand, Duration, @Nullable Object> server, String key, Duration timeout) {
        List<?> secondsAndMicros =
                (List<?>) server.apply(RedisCommand.of("TIME").near(key), timeout);
        if (secondsAndMicros == null) {
            throw new LockBackendException(Reason.REFUSED, "the server answered nil to TIME");
        }
        return Long.parseLong(String.valueOf(secondsAndMicros.get(0))) * 1000
                + Long.parseLong(String.valueOf(secondsAndMicros.get(1))) / 1000;
    }

    @Override
    public Attempt attempt(Claim claim) {
        try {
            return contend(claim);
        } catch (LockBackendException e) {
            return new Attempt.Failed(e);
        }
    }

    private Attempt contend(Claim claim) {
        String key = settings.key(claim.name());
        requireLeaseThatOthersBelieve(claim);
        long untilNanos = env.nanoTime() + claim.timeout().toNanos();
        for (int round = 0; round < ROUNDS && (round == 0 || env.nanoTime() - untilNanos < 0); round++) {
            long now = clock.nowMillis(key, writes.left(untilNanos));
            long nowNanos = env.nanoTime();
            Written mine = Written.make(settings.format(), now, claim.lease(), env);
            written.put(claim.owner(), new WrittenTimestamps(isUnique() ? List.of(mine) : List.of()));
            if (Long.valueOf(1)
                    .equals(node.call(RedisCommand.of("SETNX", key, mine.text()), writes.left(untilNanos)))) {
                return granted(claim, mine);
            }
            String found = (String) node.call(RedisCommand.of("GET", key), writes.left(untilNanos));
            if (found == null) {
                continue;
            }
            // A client that was handed in may have repeated the request.
            if (isUnique() && found.equals(mine.text())) {
                return granted(claim, mine);
            }
            // The requests have taken time; a waiter takes an end that moves for a lock that has changed hands.
            long sinceMillis = TimeUnit.NANOSECONDS.toMillis(env.nanoTime() - nowNanos);
            Optional<Duration> left = clock.left(key, read(key, found), now + sinceMillis);
            if (left.isPresent()) {
                return new Attempt.Refused(left);
            }
            clock.forget(key);
            RedisCommand getset = RedisCommand.of("GETSET", key, mine.text());
            if (found.equals(node.transactIfEqual(key, found, List.of(getset), writes.left(untilNanos)))) {
                return granted(claim, mine);
            }
        }
        return new Attempt.Refused(Optional.empty());
    }

    private boolean isUnique() {
        return settings.format().fraction();
    }

    private Attempt granted(Claim claim, Written mine) {
        written.put(claim.owner(), new WrittenTimestamps(List.of(mine)));
        return new Attempt.Granted(validity(claim), OptionalLong.empty());
    }

    private void requireLeaseThatOthersBelieve(Claim claim) {
        if (claim.lease().compareTo(settings.maxAhead()) > 0) {
            throw new LockBackendException(
                    Reason.REFUSED,
                    "a lease of " + claim.lease() + " is longer than clock-max-ahead=" + settings.maxAhead()
                            + ", which others would not believe: shorten it, or raise clock-max-ahead everywhere");
        }
    }

    private Timestamp read(String key, String found) {
        return settings.format()
                .read(found)
                .orElseThrow(() -> new LockBackendException(
                        Reason.REFUSED,
                        "key \"" + key + "\" holds no time in "
                                + settings.format().unit()
                                + " at which a lock could end, so something else uses it: choose another unit or"
                                + " prefix, or delete the key"));
    }

    @Override
    public List<Renewal> renew(List<Claim> claims) {
        return renewals.renew(claims);
    }

    @Override
    public Release release(Claim claim) {
        long untilNanos = env.nanoTime() + claim.timeout().toNanos();
        WrittenTimestamps mine = written(claim);
        beginRelease(mine, untilNanos);
        try {
            long now = clock.nowMillis(settings.key(claim.name()), claim.timeout());
            // Waiters poll, so it is not known whether there are any.
            return mine.ifMine(isUnique(), now, expected -> delete(claim, mine, expected, untilNanos))
                    .<Release>map(Release.Lost::new)
                    .orElseGet(() -> new Release.Freed(true));
        } finally {
            mine.end();
        }
    }

    /** Deletes the key if it has a value. Whole numbers are used again only if the key was certainly not deleted. */
    private @Nullable String delete(Claim claim, WrittenTimestamps mine, String expected, long untilNanos) {
        List<Written> used = isUnique() ? List.of() : mine.removeAll();
        boolean deleted = true;
        try {
            String holder = writes.deleteIfEqual(settings.key(claim.name()), expected, untilNanos);
            deleted = expected.equals(holder);
            return holder;
        } catch (LockBackendException e) {
            deleted = e.reason() == Reason.OUTCOME_UNKNOWN;
            throw e;
        } finally {
            if (!deleted) {
                mine.putBack(used);
            }
        }
    }

    @Override
    public void releaseAll(List<Claim> claims) {
        if (!isUnique()) {
            // If only some of them were carried out, a batch could not be repeated.
            LeaseProtocol.super.releaseAll(claims);
            return;
        }
        LockBackendException first = null;
        for (List<Claim> batch : SlotBatches.of(claims, claim -> settings.key(claim.name()), node)) {
            try {
                releaseBatch(batch);
            } catch (LockBackendException e) {
                first = first == null ? e : first;
                if (e.reason() != Reason.REFUSED) {
                    break;
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    private void releaseBatch(List<Claim> claims) {
        try {
            releaseTogether(claims);
        } catch (LockBackendException e) {
            if (e.reason() == Reason.OUTCOME_UNKNOWN) {
                throw e;
            }
            // The server may refuse only the transaction: its memory is full, or a key is not for this user.
            LeaseProtocol.super.releaseAll(claims);
        }
    }

    private void releaseTogether(List<Claim> claims) {
        Duration patience = claims.get(0).timeout();
        long untilNanos = env.nanoTime() + patience.toNanos();
        long now = clock.nowMillis(settings.key(claims.get(0).name()), patience);
        // A client whose timestamp has passed must not touch the key.
        List<Claim> held = claims.stream()
                .filter(claim -> written(claim).expected(true, now).isPresent())
                .toList();
        if (held.isEmpty()) {
            return;
        }
        List<String> keys =
                held.stream().map(claim -> settings.key(claim.name())).toList();
        List<String> expected = held.stream()
                .map(claim -> written(claim).last().orElseThrow().text())
                .toList();
        List<RedisCommand> deletions =
                keys.stream().map(key -> RedisCommand.of("DEL", key)).toList();
        List<@Nullable String> found = node.transactWhereEqual(keys, expected, deletions, writes.left(untilNanos));
        for (int i = 0; i < held.size(); i++) {
            String holder = found.get(i);
            boolean another = !expected.get(i).equals(holder);
            if (another && holder != null && written(held.get(i)).find(holder).isPresent()) {
                release(held.get(i));
            }
        }
    }

    @Override
    public String lane(String name) {
        return node.lane(settings.key(name));
    }

    @Override
    public boolean isLocked(String name) {
        String key = settings.key(name);
        long untilNanos = env.nanoTime() + timeout.toNanos();
        long now = clock.nowMillis(key, timeout);
        String found = (String) node.call(RedisCommand.of("GET", key), writes.left(untilNanos));
        return found != null && clock.left(key, read(key, found), now).isPresent();
    }

    private WrittenTimestamps written(Claim claim) {
        WrittenTimestamps found = written.get(claim.owner());
        return found == null ? new WrittenTimestamps(List.of()) : found;
    }

    /** Begins to release. With whole numbers, waits until no renewal of the claim is on its way. */
    private void beginRelease(WrittenTimestamps mine, long untilNanos) {
        while (!mine.begin(!isUnique())) {
            if (env.nanoTime() - untilNanos >= 0) {
                throw new LockBackendException(
                        Reason.UNREACHABLE, "a renewal of the lock, or another release, has had no reply yet");
            }
            env.park(mine, PAUSE_NANOS);
        }
    }

    @Override
    public Watch watch(String name, Runnable onFreed) {
        return Watch.POLLING;
    }

    @Override
    public void watchTakeovers(Runnable onTakeover) {
        node.watchTakeovers(onTakeover);
    }

    @Override
    public void close() {
        node.close();
    }

    /** Returns the lease less 1 % for clock drift and 2 ms for the precision of timestamps. */
    static Duration validity(Claim claim) {
        // Duration.dividedBy would use BigDecimal for each acquisition.
        return claim.lease().minusNanos(claim.lease().toNanos() / 100).minusMillis(2);
    }
}
