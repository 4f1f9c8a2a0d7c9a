// SPDX-License-Identifier: Apache-2.0
package com.example.locks;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LockConfig;
import dev.interlock.LossCause;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.engine.protocol.Watch;
import dev.interlock.redis.LockKeys;
import dev.interlock.redis.LuaScript;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The lock is a key that holds the owner's token and lives as long as the lease. */
final class PlainSetProtocol implements LeaseProtocol {
    private static final LuaScript ACQUIRE = LuaScript.of("""
            if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) or redis.call('GET', KEYS[1]) == ARGV[1] then
              return 'GRANTED'
            end
            return redis.call('PTTL', KEYS[1])
            """);

    /** Carries out a command on the key if the token still holds it, and says why not otherwise. */
    private static final LuaScript IF_OURS = LuaScript.of("""
            local holder = redis.call('GET', KEYS[1])
            if holder ~= ARGV[1] then
              return holder and 'TAKEN' or 'GONE'
            end
            redis.call(ARGV[2], KEYS[1], unpack(ARGV, 3))
            return 'OURS'
            """);

    private final RedisNode node;
    private final LockKeys keys;
    private final Duration timeout;

    PlainSetProtocol(RedisNode node, LockConfig config) {
        this.node = node;
        this.keys = new LockKeys(config.keyPrefix());
        this.timeout = config.commandTimeout();
    }

    @Override
    public Attempt attempt(Claim claim) {
        RedisCommand acquire = RedisCommand.script(
                ACQUIRE,
                List.of(keys.lock(claim.name())),
                List.of(claim.token(), Long.toString(claim.lease().toMillis())));
        try {
            Object answer = node.callOrUndo(acquire, () -> ifOurs(claim, "DEL"), claim.timeout());
            return answer instanceof Long freeAfter
                    ? new Attempt.Refused(
                            Optional.of(freeAfter).filter(ms -> ms >= 0).map(Duration::ofMillis))
                    : new Attempt.Granted(validity(claim), OptionalLong.empty());
        } catch (LockBackendException e) {
            return new Attempt.Failed(e);
        }
    }

    @Override
    public List<Renewal> renew(List<Claim> claims) {
        List<Renewal> renewals = new ArrayList<>();
        LockBackendException outage = null;
        for (Claim claim : claims) {
            Renewal renewal = outage == null ? renew(claim) : new Renewal.Failed(outage);
            if (renewal instanceof Renewal.Failed failed && failed.cause().reason() != Reason.REFUSED) {
                outage = failed.cause(); // The others need not wait for the same server to be silent.
            }
            renewals.add(renewal);
        }
        return renewals;
    }

    private Renewal renew(Claim claim) {
        try {
            String lease = Long.toString(claim.lease().toMillis());
            return loss(node.call(ifOurs(claim, "PEXPIRE", lease, "GT"), claim.timeout()))
                    .<Renewal>map(Renewal.Lost::new)
                    .orElseGet(() -> new Renewal.Renewed(validity(claim)));
        } catch (LockBackendException e) {
            return new Renewal.Failed(e);
        }
    }

    @Override
    public Release release(Claim claim) {
        return loss(node.call(ifOurs(claim, "DEL"), claim.timeout()))
                .<Release>map(Release.Lost::new)
                .orElseGet(() -> new Release.Freed(true)); // Waiters poll, so that nobody knows of them.
    }

    @Override
    public boolean isLocked(String name) {
        return Long.valueOf(1).equals(node.call(RedisCommand.of("EXISTS", keys.lock(name)), timeout));
    }

    private RedisCommand ifOurs(Claim claim, String... command) {
        List<String> arguments = new ArrayList<>(List.of(command));
        arguments.add(0, claim.token());
        return RedisCommand.script(IF_OURS, List.of(keys.lock(claim.name())), arguments);
    }

    private static Optional<LossCause> loss(@Nullable Object answer) {
        return "OURS".equals(answer) ? Optional.empty() : Optional.of(LossCause.valueOf(String.valueOf(answer)));
    }

    /** Returns what is left of a lease if the server's clock runs 1 % faster and expires a key 2 ms early. */
    private static Duration validity(Claim claim) {
        return claim.lease().minus(claim.lease().dividedBy(100)).minusMillis(2);
    }

    @Override
    public Watch watch(String name, Runnable onFreed) {
        return Watch.NONE;
    }

    @Override
    public void close() {
        node.close();
    }
}
