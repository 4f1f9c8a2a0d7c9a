// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import dev.interlock.DistributedLockFactory;
import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LockConfig;
import dev.interlock.LossCause;
import dev.interlock.engine.Attempt;
import dev.interlock.engine.Claim;
import dev.interlock.engine.Environment;
import dev.interlock.engine.LeaseProtocol;
import dev.interlock.engine.LockEngine;
import dev.interlock.engine.Renewal;
import dev.interlock.engine.Watch;
import dev.interlock.redis.LockKeys;
import dev.interlock.redis.LuaScript;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The lock of one Redis server: a key that holds the owner token and has the lease as its time to live.
 *
 * @see <a href="https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/">Distributed locks with Redis</a>,
 *     "Correct implementation with a single instance"
 */
final class SetNxPxProtocol implements LeaseProtocol {
    private static final LuaScript ACQUIRE = LuaScript.load(SetNxPxProtocol.class, "acquire.lua");
    private static final LuaScript REFUSAL = LuaScript.load(SetNxPxProtocol.class, "refusal.lua");
    private static final LuaScript RELEASE = LuaScript.load(SetNxPxProtocol.class, "release.lua");
    private static final LuaScript RENEW = LuaScript.load(SetNxPxProtocol.class, "renew.lua");

    /** How many leases one script extends; it keeps the server busy for well under a millisecond. */
    private static final int RENEWAL_BATCH = 256;

    /**
     * How long the last fencing token is remembered. It only matters if the server's clock is set back meanwhile: otherwise the time,
     * from which tokens are drawn, has moved on.
     */
    private static final Duration FENCE_LIFE = Duration.ofDays(1);

    private final RedisNode node;
    private final LockKeys keys;
    private final Settings settings;
    private final Duration timeout;

    private SetNxPxProtocol(RedisNode node, LockKeys keys, Settings settings, Duration timeout) {
        this.node = node;
        this.keys = keys;
        this.settings = settings;
        this.timeout = timeout;
    }

    static DistributedLockFactory newFactory(RedisNode node, Settings settings, LockConfig config, Environment env) {
        SetNxPxProtocol protocol =
                new SetNxPxProtocol(node, new LockKeys(config.keyPrefix()), settings, config.commandTimeout());
        return LockEngine.newFactory(SetNxPxStrategyProvider.NAME, settings.profile(), protocol, config, env);
    }

    @Override
    public Attempt attempt(Claim claim) {
        try {
            return settings.fencing() ? attemptFenced(claim) : attemptPlain(claim);
        } catch (LockBackendException e) {
            return new Attempt.Failed(e);
        }
    }

    private Attempt attemptFenced(Claim claim) {
        String name = claim.name();
        List<?> answer = (List<?>) reply(node.callOrUndo(
                RedisCommand.script(
                        ACQUIRE,
                        List.of(keys.lock(name), keys.fence(name)),
                        List.of(
                                claim.token(),
                                millis(claim.lease()),
                                Integer.toString(claim.fences()),
                                millis(FENCE_LIFE))),
                releaseScript(claim),
                timeout));
        return isYes(answer.get(0))
                ? new Attempt.Granted(validity(claim), OptionalLong.of((Long) reply(answer.get(1))))
                : refused(answer.get(1));
    }

    private Attempt attemptPlain(Claim claim) {
        String key = keys.lock(claim.name());
        RedisCommand set = RedisCommand.of("SET", key, claim.token(), "NX", "PX", millis(claim.lease()));
        Attempt granted = new Attempt.Granted(validity(claim), OptionalLong.empty());
        // A refusal is looked at again: asking twice with one claim must succeed, as a client that was handed in may
        // repeat.
        if (settings.scripting()) {
            if (node.callOrUndo(set, releaseScript(claim), timeout) != null) {
                return granted;
            }
            List<?> answer = (List<?>)
                    reply(node.call(RedisCommand.script(REFUSAL, List.of(key), List.of(claim.token())), timeout));
            return isYes(answer.get(0)) ? granted : refused(answer.get(1));
        }
        // No single command deletes a key only if it has a value, so nothing can be sent behind SET to undo it.
        boolean mine = node.call(set, timeout) != null
                || claim.token().equals(node.call(RedisCommand.of("GET", key), timeout));
        return mine ? granted : new Attempt.Refused(Optional.empty());
    }

    private static boolean isYes(@Nullable Object answer) {
        return Long.valueOf(1).equals(answer);
    }

    /** A negative time to live says that the key has none, or has just gone; then there is nothing to wait for by the clock. */
    private static Attempt refused(@Nullable Object ttlMillis) {
        return new Attempt.Refused(
                Optional.of((Long) reply(ttlMillis)).filter(ttl -> ttl >= 0).map(Duration::ofMillis));
    }

    @Override
    public List<Renewal> renew(List<Claim> claims) {
        List<Renewal> renewals = new ArrayList<>(claims.size());
        int batch = settings.scripting() ? RENEWAL_BATCH : 1;
        while (renewals.size() < claims.size()) {
            int from = renewals.size();
            List<Claim> group = claims.subList(from, Math.min(from + batch, claims.size()));
            try {
                renewals.addAll(settings.scripting() ? renewByScript(group) : renewByTransaction(group.get(0)));
            } catch (LockBackendException e) {
                // There is one server: where it does not answer to one group, the others would only wait in line.
                List<Claim> failed = e.reason() == Reason.REFUSED ? group : claims.subList(from, claims.size());
                failed.forEach(claim -> renewals.add(new Renewal.Failed(e)));
            }
        }
        return renewals;
    }

    private List<Renewal> renewByScript(List<Claim> claims) {
        List<String> args = new ArrayList<>(2 * claims.size());
        for (Claim claim : claims) {
            args.add(claim.token());
            args.add(millis(claim.lease()));
        }
        List<String> locks =
                claims.stream().map(claim -> keys.lock(claim.name())).toList();
        List<?> answers = (List<?>) reply(node.call(RedisCommand.script(RENEW, locks, args), timeout));
        List<Renewal> renewals = new ArrayList<>(claims.size());
        for (int i = 0; i < claims.size(); i++) {
            long answer = (Long) reply(answers.get(i));
            renewals.add(
                    answer == 1
                            ? new Renewal.Renewed(validity(claims.get(i)))
                            : new Renewal.Lost(answer == 0 ? LossCause.GONE : LossCause.TAKEN));
        }
        return renewals;
    }

    private List<Renewal> renewByTransaction(Claim claim) {
        String key = keys.lock(claim.name());
        return List.of(transactIfMine(claim, RedisCommand.of("PEXPIRE", key, millis(claim.lease())))
                .<Renewal>map(Renewal.Lost::new)
                .orElseGet(() -> new Renewal.Renewed(validity(claim))));
    }

    @Override
    public Optional<LossCause> release(Claim claim) {
        if (settings.scripting()) {
            long answer = (Long) reply(node.call(releaseScript(claim), timeout));
            return answer == 1 ? Optional.empty() : Optional.of(answer == 0 ? LossCause.GONE : LossCause.TAKEN);
        }
        return transactIfMine(
                claim,
                RedisCommand.of("DEL", keys.lock(claim.name())),
                RedisCommand.of("PUBLISH", keys.channel(claim.name()), ""));
    }

    private RedisCommand releaseScript(Claim claim) {
        return RedisCommand.script(
                RELEASE, List.of(keys.lock(claim.name())), List.of(claim.token(), keys.channel(claim.name())));
    }

    /** Carries out commands if the claim holds the lock, and says why not if it does not. */
    private Optional<LossCause> transactIfMine(Claim claim, RedisCommand... commands) {
        String holder = node.transactIfEqual(keys.lock(claim.name()), claim.token(), List.of(commands), timeout);
        if (claim.token().equals(holder)) {
            return Optional.empty();
        }
        return Optional.of(holder == null ? LossCause.GONE : LossCause.TAKEN);
    }

    @Override
    public Watch watch(String name, Runnable onFreed) {
        return node.subscribe(keys.channel(name), onFreed);
    }

    @Override
    public void close() {
        node.close();
    }

    /** The lease less 1 % and 2 ms: what clocks may differ in rate, and the precision of Redis' expiry. */
    private static Duration validity(Claim claim) {
        return claim.lease().minus(claim.lease().dividedBy(100)).minusMillis(2);
    }

    private static String millis(Duration duration) {
        return Long.toString(duration.toMillis());
    }

    private static Object reply(@Nullable Object reply) {
        return Objects.requireNonNull(reply, "a script of ours never answers nil");
    }
}
