// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import dev.interlock.redis.LockKeys;
import dev.interlock.redis.LockWire;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.inspect.FactoryCard;
import dev.interlock.redis.inspect.InspectedLock;
import dev.interlock.redis.inspect.LockInspection;
import dev.interlock.redis.inspect.LockParty;
import dev.interlock.redis.inspect.PeerFormat;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/** Reads the keys of this strategy. Does not reveal owner tokens. */
final class SetNxPxInspection implements LockInspection {
    /** The number of waiters that are listed. */
    private static final String MOST_WAITERS = "100";

    private static final int FIRST_WAITER = 4;

    /** A smaller fencing token is no time in µs, but a counter that another program has set. */
    private static final long LEAST_TIME = 1_000_000_000_000_000L;

    private final RedisNode node;
    private final LockWire wire;
    private final LockKeys keys;
    private final Duration timeout;
    private final LockScripts scripts;

    SetNxPxInspection(RedisNode node, LockWire wire, String keyPrefix, Duration timeout) {
        this.node = node;
        this.wire = wire;
        this.keys = wire.keys(keyPrefix);
        this.timeout = timeout;
        this.scripts = LockScripts.of(wire, node.isSharded());
    }

    @Override
    public String keyPattern() {
        return keys.pattern();
    }

    @Override
    public Optional<String> lockName(String key) {
        return keys.name(key);
    }

    @Override
    public Optional<InspectedLock> look(String name) {
        return read(name)
                .filter(seen -> wire.isPlain() || isOurs(seen))
                .map(seen -> isOurs(seen) ? inspected(name, seen) : foreign(name, seen));
    }

    private static boolean isOurs(List<?> seen) {
        return LockWord.isOurs((String) seen.get(0));
    }

    /** A lock that a client of another make holds, for which clients of ours may wait. */
    private InspectedLock foreign(String name, List<?> seen) {
        String value = (String) seen.get(0);
        return new InspectedLock(
                name,
                LockParty.unknown(value),
                remaining(seen),
                lastFence(seen),
                waiters(seen),
                OptionalLong.of((Long) seen.get(FIRST_WAITER - 1)),
                OptionalLong.empty(),
                Optional.empty(),
                PeerFormat.describe(value));
    }

    private InspectedLock inspected(String name, List<?> seen) {
        LockParty holder = LockParty.of(LockWord.token((String) seen.get(0)));
        OptionalLong lastFence = lastFence(seen);
        return new InspectedLock(
                name, holder.with(granted(lastFence), card(holder)), remaining(seen), lastFence, waiters(seen), (Long)
                        seen.get(FIRST_WAITER - 1));
    }

    private static Optional<Duration> remaining(List<?> seen) {
        long millis = (Long) seen.get(1);
        return millis < 0 ? Optional.empty() : Optional.of(Duration.ofMillis(millis));
    }

    private static OptionalLong lastFence(List<?> seen) {
        String fence = (String) seen.get(2);
        return fence.matches("\\d{1,18}") ? OptionalLong.of(Long.parseLong(fence)) : OptionalLong.empty();
    }

    private List<LockParty> waiters(List<?> seen) {
        List<LockParty> waiters = new ArrayList<>();
        for (int i = FIRST_WAITER; i + 1 < seen.size(); i += 2) {
            LockParty waiter = LockParty.of((String) seen.get(i));
            Instant since = instant(Long.parseLong((String) seen.get(i + 1)));
            waiters.add(waiter.with(Optional.of(since), card(waiter)));
        }
        return waiters;
    }

    private static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    /**
     * The approximate time of the grant: the fencing token is the server's time, or counts on from a time less than a
     * second before.
     */
    private static Optional<Instant> granted(OptionalLong lastFence) {
        return lastFence.isPresent() && lastFence.getAsLong() >= LEAST_TIME
                ? Optional.of(instant(lastFence.getAsLong()))
                : Optional.empty();
    }

    /** Returns the reply of the script about a lock that is held. */
    private Optional<List<?>> read(String name) {
        Object reply = node.call(
                RedisCommand.script(
                        LockScripts.LOOK,
                        List.of(keys.lock(name), keys.fence(name), keys.waiting(name)),
                        List.of(MOST_WAITERS)),
                timeout);
        return Optional.ofNullable((List<?>) reply);
    }

    private Optional<FactoryCard> card(LockParty party) {
        return FactoryCard.find(node, keys, party, timeout);
    }

    @Override
    public boolean release(InspectedLock lock) {
        Optional<String> token =
                read(lock.name()).filter(SetNxPxInspection::isOurs).map(seen -> LockWord.token((String) seen.get(0)));
        if (token.isEmpty()
                || !LockParty.of(token.get()).claim().equals(lock.holder().claim())) {
            return false;
        }
        String name = lock.name();
        List<?> answer = (List<?>) Objects.requireNonNull(node.call(
                RedisCommand.script(
                        scripts.release(),
                        // The signal of a condition is kept, so that it is passed on.
                        List.of(keys.lock(name), keys.fence(name), keys.waiting(name), keys.waiting(name)),
                        List.of(
                                SetNxPxProtocol.FENCE_LIFE_MILLIS,
                                LockWord.MAGIC + token.get(),
                                keys.channel(name),
                                "",
                                "")),
                timeout));
        return Long.valueOf(1).equals(answer.get(0));
    }

    @Override
    public void close() {
        node.close();
    }
}
