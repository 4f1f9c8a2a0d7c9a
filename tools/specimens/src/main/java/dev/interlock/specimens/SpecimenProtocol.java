// SPDX-License-Identifier: Apache-2.0
package dev.interlock.specimens;

import dev.interlock.LockBackendException;
import dev.interlock.LossCause;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.engine.protocol.Watch;
import dev.interlock.redis.LockKeys;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisNode;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The common part of the specimens: single commands on one server, instead of one atomic script. */
public abstract class SpecimenProtocol implements LeaseProtocol {
    private final RedisNode node;
    final LockKeys keys;
    private final Duration timeout;

    SpecimenProtocol(RedisNode node, LockKeys keys, Duration timeout) {
        this.node = node;
        this.keys = keys;
        this.timeout = timeout;
    }

    /** Tries to take the lock for a claim; returns whether the claim got it. */
    abstract boolean take(String key, Claim claim);

    Optional<Duration> retryAfter(String key) {
        return Optional.empty();
    }

    OptionalLong fence(Claim claim) {
        return OptionalLong.empty();
    }

    /** Extends a lease. Returns why the claim does not hold the lock, or empty if the lease was extended. */
    abstract Optional<LossCause> extend(String key, Claim claim);

    /** Gives a lock back. Returns why the claim did not hold the lock, or empty if it was given back. */
    abstract Optional<LossCause> giveBack(String key, Claim claim);

    final @Nullable Object call(String command, String... arguments) {
        return node.call(RedisCommand.of(command, arguments), timeout);
    }

    final boolean isOne(String command, String... arguments) {
        return Long.valueOf(1).equals(call(command, arguments));
    }

    final @Nullable String transactIfEqual(String key, String expected, RedisCommand... commands) {
        return node.transactIfEqual(key, expected, List.of(commands), timeout);
    }

    /** As {@link #giveBack} and {@link #extend} should do it: guarded by the token, in one transaction. */
    final Optional<LossCause> ifMine(String key, Claim claim, RedisCommand... commands) {
        String holder = transactIfEqual(key, claim.token(), commands);
        if (claim.token().equals(holder)) {
            return Optional.empty();
        }
        return Optional.of(holder == null ? LossCause.GONE : LossCause.TAKEN);
    }

    static String millis(Claim claim) {
        return Long.toString(claim.lease().toMillis());
    }

    @Override
    public final Attempt attempt(Claim claim) {
        try {
            return take(keys.lock(claim.name()), claim)
                    ? new Attempt.Granted(claim.lease(), fence(claim))
                    : new Attempt.Refused(retryAfter(keys.lock(claim.name())));
        } catch (LockBackendException e) {
            return new Attempt.Failed(e);
        }
    }

    @Override
    public final List<Renewal> renew(List<Claim> claims) {
        return claims.stream().map(this::renew).toList();
    }

    private Renewal renew(Claim claim) {
        try {
            return extend(keys.lock(claim.name()), claim)
                    .<Renewal>map(Renewal.Lost::new)
                    .orElseGet(() -> new Renewal.Renewed(claim.lease()));
        } catch (LockBackendException e) {
            return new Renewal.Failed(e);
        }
    }

    @Override
    public final Release release(Claim claim) {
        return giveBack(keys.lock(claim.name()), claim)
                .<Release>map(Release.Lost::new)
                .orElseGet(() -> new Release.Freed(true));
    }

    @Override
    public final boolean isLocked(String name) {
        return isTaken(keys.lock(name));
    }

    /** Returns whether anybody holds the lock of a key. */
    boolean isTaken(String key) {
        return isOne("EXISTS", key);
    }

    @Override
    public Watch watch(String name, Runnable onFreed) {
        return Watch.NONE;
    }

    @Override
    public final void close() {
        node.close();
    }
}
