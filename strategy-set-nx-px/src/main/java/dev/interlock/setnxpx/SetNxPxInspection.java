// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import dev.interlock.redis.LockKeys;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.inspect.FactoryCard;
import dev.interlock.redis.inspect.InspectedLock;
import dev.interlock.redis.inspect.LockInspection;
import dev.interlock.redis.inspect.LockParty;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Looks at the keys that this strategy keeps. Tokens stay in here. */
final class SetNxPxInspection implements LockInspection {
    /** How many of those who wait are told. */
    private static final String MOST_WAITERS = "100";

    private static final int FIRST_WAITER = 4;

    /** A smaller number is no time of a server's clock in µs, but a counter that somebody else has set. */
    private static final long LEAST_TIME = 1_000_000_000_000_000L;

    private final RedisNode node;
    private final LockKeys keys;
    private final Duration timeout;
    private final LockScripts scripts;

    SetNxPxInspection(RedisNode node, LockKeys keys, Duration timeout) {
        this.node = node;
        this.keys = keys;
        this.timeout = timeout;
        this.scripts = LockScripts.of(node.isSharded());
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
        return read(name).map(seen -> inspected(name, seen));
    }

    private InspectedLock inspected(String name, List<?> seen) {
        long millis = (Long) seen.get(1);
        String fence = (String) seen.get(2);
        List<LockParty> waiters = new ArrayList<>();
        for (int i = FIRST_WAITER; i + 1 < seen.size(); i += 2) {
            LockParty waiter = LockParty.of((String) seen.get(i));
            Instant since = instant(Long.parseLong((String) seen.get(i + 1)));
            waiters.add(waiter.with(Optional.of(since), card(waiter)));
        }
        LockParty holder = LockParty.of(LockWord.token((String) seen.get(0)));
        OptionalLong lastFence =
                fence.matches("\\d{1,18}") ? OptionalLong.of(Long.parseLong(fence)) : OptionalLong.empty();
        return new InspectedLock(
                name,
                holder.with(granted(lastFence), card(holder)),
                millis < 0 ? Optional.empty() : Optional.of(Duration.ofMillis(millis)),
                lastFence,
                waiters,
                (Long) seen.get(FIRST_WAITER - 1));
    }

    private static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    /** About when a claim was granted: its fencing token was drawn by the server's time, or counted on from one of the second before. */
    private static Optional<Instant> granted(OptionalLong lastFence) {
        return lastFence.isPresent() && lastFence.getAsLong() >= LEAST_TIME
                ? Optional.of(instant(lastFence.getAsLong()))
                : Optional.empty();
    }

    /** What the script says of a lock that is held by a word of ours. */
    private Optional<List<?>> read(String name) {
        Object reply = node.call(
                RedisCommand.script(
                        LockScripts.LOOK,
                        List.of(keys.lock(name), keys.fence(name), keys.waiting(name)),
                        List.of(MOST_WAITERS)),
                timeout);
        return Optional.<List<?>>ofNullable((List<?>) reply).filter(seen -> LockWord.isOurs((String) seen.get(0)));
    }

    private Optional<FactoryCard> card(LockParty party) {
        @Nullable Object text = node.call(RedisCommand.of("GET", keys.factory(party.factory())), timeout);
        return text instanceof String card ? FactoryCard.read(card) : Optional.empty();
    }

    @Override
    public boolean release(InspectedLock lock) {
        Optional<String> token = read(lock.name()).map(seen -> LockWord.token((String) seen.get(0)));
        if (token.isEmpty()
                || !LockParty.of(token.get()).claim().equals(lock.holder().claim())) {
            return false;
        }
        String name = lock.name();
        List<?> answer = (List<?>) Objects.requireNonNull(node.call(
                RedisCommand.script(
                        scripts.release(),
                        List.of(keys.lock(name), keys.fence(name), keys.waiting(name)),
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
