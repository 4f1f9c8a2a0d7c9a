// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import dev.interlock.DistributedLockFactory;
import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LockConfig;
import dev.interlock.LossCause;
import dev.interlock.engine.LockEngine;
import dev.interlock.engine.environment.Environment;
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
import dev.interlock.setnxpx.Settings.Wakeup;
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
    private static final LuaScript ACQUIRE = LuaScript.load(SetNxPxProtocol.class, "waiting.lua", "acquire.lua");
    private static final LuaScript RELEASE = LuaScript.load(SetNxPxProtocol.class, "waiting.lua", "release.lua");
    private static final LuaScript RENEW = LuaScript.load(SetNxPxProtocol.class, "renew.lua");

    /** How many locks one script extends or releases; it keeps the server busy for about a millisecond. */
    private static final int BATCH = 256;

    /**
     * How long the last fencing token is remembered. It only matters if the server's clock is set back meanwhile: otherwise the time,
     * from which tokens are drawn, has moved on.
     */
    private static final Duration FENCE_LIFE = Duration.ofDays(1);

    private final RedisNode node;
    private final LockKeys keys;
    private final Settings settings;
    private final Duration timeout;
    private final Duration listLife;
    private final Places places;

    SetNxPxProtocol(RedisNode node, Settings settings, LockConfig config, Environment env) {
        this.node = node;
        this.keys = new LockKeys(config.keyPrefix());
        this.settings = settings;
        this.timeout = config.commandTimeout();
        // Whoever waits asks again within the ceiling, which keeps the list.
        this.listLife = config.waitCeiling().multipliedBy(2).plusMinutes(1);
        this.places = new Places(env, node, keys);
    }

    static DistributedLockFactory newFactory(RedisNode node, Settings settings, LockConfig config, Environment env) {
        SetNxPxProtocol protocol = new SetNxPxProtocol(node, settings, config, env);
        return LockEngine.newFactory(SetNxPxStrategyProvider.NAME, settings.profile(), protocol, config, env);
    }

    @Override
    public Attempt attempt(Claim claim) {
        try {
            return places.takeGrant(claim)
                    .orElseGet(() -> settings.scripting() ? ask(claim) : askWithoutScripts(claim));
        } catch (LockBackendException e) {
            places.leave(claim);
            return new Attempt.Failed(e);
        }
    }

    private Attempt ask(Claim claim) {
        // A refusal is looked at again: asking twice with one claim must succeed, as a client that was handed in may
        // repeat.
        if (!settings.fencing()
                && !places.has(claim)
                && node.callOrUndo(setIfAbsent(claim), releaseScript(claim), claim.timeout()) != null) {
            return new Attempt.Granted(validity(claim.lease()), OptionalLong.empty());
        }
        boolean enters = settings.queues() && places.mayEnter(claim);
        if (enters) {
            places.enter(claim);
        }
        Places.Moment before = places.now();
        List<?> answer =
                (List<?>) reply(node.callOrUndo(acquireScript(claim, enters), releaseScript(claim), claim.timeout()));
        long number = (Long) reply(answer.get(1));
        if (Long.valueOf(1).equals(answer.get(0))) {
            places.leave(claim);
            return new Attempt.Granted(
                    validity(claim.lease()), number == 0 ? OptionalLong.empty() : OptionalLong.of(number));
        }
        places.refused(claim, before, (Long) reply(answer.get(2)), enters, (Long) reply(answer.get(3)));
        // A negative time to live says that the key has none, or has just gone: then the clock is nothing to wait for.
        return new Attempt.Refused(Optional.of(number).filter(ttl -> ttl >= 0).map(Duration::ofMillis));
    }

    private RedisCommand acquireScript(Claim claim, boolean enters) {
        return script(
                ACQUIRE,
                claim,
                claim.token(),
                millis(claim.lease()),
                Integer.toString(fences(claim)),
                millis(FENCE_LIFE),
                settings.queues() ? places.entry(claim, fences(claim)) : "",
                enters ? millis(listLife) : "0",
                Long.toString(places.since(claim)));
    }

    private RedisCommand script(LuaScript script, Claim claim, String... args) {
        String name = claim.name();
        return RedisCommand.script(
                script, List.of(keys.lock(name), keys.fence(name), keys.waiting(name)), List.of(args));
    }

    private int fences(Claim claim) {
        return settings.fencing() ? claim.fences() : 0;
    }

    private RedisCommand setIfAbsent(Claim claim) {
        return RedisCommand.of("SET", keys.lock(claim.name()), claim.token(), "NX", "PX", millis(claim.lease()));
    }

    private Attempt askWithoutScripts(Claim claim) {
        // No single command deletes a key only if it has a value, so nothing can be sent behind SET to undo it.
        boolean mine = node.call(setIfAbsent(claim), claim.timeout()) != null
                || claim.token().equals(node.call(RedisCommand.of("GET", keys.lock(claim.name())), claim.timeout()));
        return mine
                ? new Attempt.Granted(validity(claim.lease()), OptionalLong.empty())
                : new Attempt.Refused(Optional.empty());
    }

    @Override
    public List<Renewal> renew(List<Claim> claims) {
        List<Renewal> renewals = new ArrayList<>(claims.size());
        int batch = settings.scripting() ? BATCH : 1;
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
        List<?> answers = (List<?>) reply(node.callUrgently(
                RedisCommand.script(RENEW, locks, args), claims.get(0).timeout()));
        List<Renewal> renewals = new ArrayList<>(claims.size());
        for (int i = 0; i < claims.size(); i++) {
            long answer = (Long) reply(answers.get(i));
            renewals.add(
                    answer == 1
                            ? new Renewal.Renewed(validity(claims.get(i).lease()))
                            : new Renewal.Lost(answer == 0 ? LossCause.GONE : LossCause.TAKEN));
        }
        return renewals;
    }

    private List<Renewal> renewByTransaction(Claim claim) {
        String key = keys.lock(claim.name());
        return List.of(transactIfMine(claim, RedisCommand.of("PEXPIRE", key, millis(claim.lease()), "GT"))
                .<Renewal>map(Renewal.Lost::new)
                .orElseGet(() -> new Renewal.Renewed(validity(claim.lease()))));
    }

    @Override
    public Release release(Claim claim) {
        places.leave(claim);
        if (settings.scripting()) {
            String channel = keys.channel(claim.name());
            boolean listens = node.isSubscribed(channel);
            List<?> answer = (List<?>) reply(node.call(releaseScript(claim), claim.timeout()));
            long state = (Long) reply(answer.get(0));
            if (state != 1) {
                return new Release.Lost(state == 0 ? LossCause.GONE : LossCause.TAKEN);
            }
            long others = (Long) reply(answer.get(1)) - (listens && node.isSubscribed(channel) ? 1 : 0);
            // Those who poll are not known; a negative number says that nothing is.
            return new Release.Freed(settings.wakeup() == Wakeup.POLL || others != 0);
        }
        RedisCommand delete = RedisCommand.of("DEL", keys.lock(claim.name()));
        Optional<LossCause> loss = settings.wakeup() == Wakeup.POLL
                ? transactIfMine(claim, delete)
                : transactIfMine(claim, delete, RedisCommand.of("PUBLISH", keys.channel(claim.name()), ""));
        return loss.<Release>map(Release.Lost::new).orElseGet(() -> new Release.Freed(true));
    }

    @Override
    public void releaseAll(List<Claim> claims) {
        if (!settings.scripting()) {
            LeaseProtocol.super.releaseAll(claims);
            return;
        }
        LockBackendException first = null;
        for (int from = 0; from < claims.size(); from += BATCH) {
            List<Claim> batch = claims.subList(from, Math.min(from + BATCH, claims.size()));
            batch.forEach(places::leave);
            try {
                node.call(releaseScript(batch), batch.get(0).timeout());
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

    private RedisCommand releaseScript(Claim claim) {
        return releaseScript(List.of(claim));
    }

    private RedisCommand releaseScript(List<Claim> claims) {
        List<String> touched = new ArrayList<>(3 * claims.size());
        List<String> args = new ArrayList<>(1 + 3 * claims.size());
        args.add(millis(FENCE_LIFE));
        for (Claim claim : claims) {
            String name = claim.name();
            touched.addAll(List.of(keys.lock(name), keys.fence(name), keys.waiting(name)));
            args.add(claim.token());
            args.add(settings.wakeup() == Wakeup.POLL ? "" : keys.channel(name));
            args.add(settings.queues() && claim.isWaiting() ? places.entry(claim, fences(claim)) : "");
        }
        return RedisCommand.script(RELEASE, touched, args);
    }

    /** Carries out commands if the claim holds the lock, and says why not if it does not. */
    private Optional<LossCause> transactIfMine(Claim claim, RedisCommand... commands) {
        String holder =
                node.transactIfEqual(keys.lock(claim.name()), claim.token(), List.of(commands), claim.timeout());
        if (claim.token().equals(holder)) {
            return Optional.empty();
        }
        return Optional.of(holder == null ? LossCause.GONE : LossCause.TAKEN);
    }

    @Override
    public boolean isLocked(String name) {
        return Long.valueOf(1).equals(node.call(RedisCommand.of("EXISTS", keys.lock(name)), timeout));
    }

    @Override
    public Watch watch(String name, Runnable onFreed) {
        return switch (settings.wakeup()) {
            case QUEUE -> places.watch(name, onFreed);
            case PUBSUB -> node.subscribe(keys.channel(name), onFreed);
            case POLL -> Watch.NONE;
        };
    }

    @Override
    public boolean queues() {
        return settings.queues();
    }

    @Override
    public void close() {
        node.close();
    }

    /** The lease less 1 % and 2 ms: what clocks may differ in rate, and the precision of Redis' expiry. */
    static Duration validity(Duration lease) {
        return lease.minus(lease.dividedBy(100)).minusMillis(2);
    }

    private static String millis(Duration duration) {
        return Long.toString(duration.toMillis());
    }

    private static Object reply(@Nullable Object reply) {
        return Objects.requireNonNull(reply, "a script of ours never answers nil");
    }
}
