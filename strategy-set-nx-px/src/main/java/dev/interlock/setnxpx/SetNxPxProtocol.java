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
import dev.interlock.redis.Acknowledgement;
import dev.interlock.redis.LockKeys;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.RedisNode.Acknowledged;
import dev.interlock.setnxpx.Settings.Wakeup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The lock of one Redis server, or of the one of a cluster that is responsible for its name: a key that holds the owner token and has the lease as its time to live.
 *
 * @see <a href="https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/">Distributed locks with Redis</a>,
 *     "Correct implementation with a single instance"
 */
final class SetNxPxProtocol implements LeaseProtocol {
    /**
     * How long the last fencing token is remembered. It only matters if the server's clock is set back meanwhile: otherwise the time,
     * from which tokens are drawn, has moved on.
     */
    private static final Duration FENCE_LIFE = Duration.ofDays(1);

    /** How often one attempt asks while those who are gone are being dropped from the list, a hundred at a time. */
    private static final int MOST_ROUNDS = 10;

    /** After how many ceilings whoever waits with a place asks again at the latest; see {@link LockConfig#waitCeiling()}. */
    private static final int MOST_CEILINGS = 10;

    /** Which part of its time-out an acquisition has for giving back what was not acknowledged. */
    private static final int SHARE_OF_TAKING_BACK = 4;

    private final RedisNode node;
    private final LockKeys keys;
    private final Settings settings;
    private final Duration timeout;
    private final Duration listLife;
    private final LockScripts scripts;
    private final Batches batches;
    private final OwnedTransactions transactions;
    private final LeaseRenewals renewals;
    private final Places places;

    SetNxPxProtocol(RedisNode node, Settings settings, LockConfig config, Environment env) {
        this.node = node;
        this.keys = new LockKeys(config.keyPrefix());
        this.settings = settings;
        this.timeout = config.commandTimeout();
        // Whoever waits asks again before half of it is over, which keeps the list.
        this.listLife = config.waitCeiling().multipliedBy(2 * MOST_CEILINGS).plusMinutes(1);
        this.scripts = LockScripts.of(node.isSharded());
        this.batches = new Batches(node, keys);
        this.transactions = new OwnedTransactions(node, keys);
        this.renewals = new LeaseRenewals(keys, batches, transactions, settings.acknowledgement());
        this.places = new Places(env, node, keys);
    }

    static DistributedLockFactory newFactory(RedisNode node, Settings settings, LockConfig config, Environment env) {
        SetNxPxProtocol protocol = new SetNxPxProtocol(node, settings, config, env);
        return LockEngine.newFactory(SetNxPxStrategyProvider.NAME, settings.profile(), protocol, config, env);
    }

    @Override
    public Attempt attempt(Claim claim) {
        try {
            return takeGrant(claim).orElseGet(() -> settings.scripting() ? ask(claim) : askWithoutScripts(claim));
        } catch (LockBackendException e) {
            places.leave(claim);
            return new Attempt.Failed(e);
        }
    }

    /** What a message grants was acknowledged by nobody; asking for it again has that done. */
    private Optional<Attempt> takeGrant(Claim claim) {
        return settings.acknowledgement().isWanted() ? Optional.empty() : places.takeGrant(claim);
    }

    private Attempt ask(Claim claim) {
        // A refusal is looked at again: asking twice with one claim must succeed, as a client that was handed in may
        // repeat.
        if (!settings.fencing() && !places.has(claim)) {
            Acknowledged set = send(setIfAbsent(claim), releaseScript(claim), claim.timeout());
            if (set.reply() != null) {
                return granted(claim, set, OptionalLong.empty());
            }
        }
        boolean enters = settings.queues() && places.mayEnter(claim);
        if (enters) {
            places.enter(claim);
        }
        for (int round = 0; round < MOST_ROUNDS; round++) {
            Places.Moment before = places.now(claim);
            Acknowledged asked = send(acquireScript(claim, enters), releaseScript(claim), claim.timeout());
            List<?> answer = (List<?>) reply(asked.reply());
            long state = (Long) reply(answer.get(0));
            long number = (Long) reply(answer.get(1));
            if (state == 1) {
                places.leave(claim);
                return granted(claim, asked, number == 0 ? OptionalLong.empty() : OptionalLong.of(number));
            }
            if (state == 0) {
                places.refused(claim, before, (Long) reply(answer.get(2)), enters, (Long) reply(answer.get(3)));
                // A negative time to live says that the key has none, or has just gone: then the clock is nothing to
                // wait for.
                return new Attempt.Refused(
                        Optional.of(number).filter(ttl -> ttl >= 0).map(Duration::ofMillis));
            }
        }
        return new Attempt.Refused(Optional.of(Duration.ZERO));
    }

    /** Sends what takes a lock, and has it acknowledged if the options ask for that. */
    private Acknowledged send(RedisCommand command, RedisCommand undo, Duration within) {
        return settings.acknowledgement().isWanted()
                ? node.callAcknowledged(command, settings.acknowledgement(), within)
                : new Acknowledged(node.callOrUndo(command, undo, within), Optional.empty());
    }

    private Attempt granted(Claim claim, Acknowledged answer, OptionalLong firstFence) {
        return answer.shortfall()
                .map(shortfall -> takeBack(claim, shortfall))
                .orElseGet(() -> new Attempt.Granted(validity(claim.lease()), firstFence));
    }

    /** Gives a lock back that too few have acknowledged. */
    private Attempt takeBack(Claim claim, LockBackendException shortfall) {
        Reason reason = shortfall.reason();
        try {
            // Less than this is left of the time-out.
            release(claim.withTimeout(claim.timeout().dividedBy(SHARE_OF_TAKING_BACK)));
        } catch (LockBackendException e) {
            // The engine tries again later.
            reason = Reason.OUTCOME_UNKNOWN;
        }
        return new Attempt.Failed(new LockBackendException(
                reason,
                "lock \"" + claim.name() + "\" was granted and is given back: " + shortfall.getMessage(),
                shortfall));
    }

    private RedisCommand acquireScript(Claim claim, boolean enters) {
        return acquireScript(
                claim,
                claim.token(),
                millis(claim.lease()),
                Integer.toString(fences(claim)),
                millis(FENCE_LIFE),
                settings.queues() ? places.entry(claim, fences(claim)) : "",
                enters ? millis(listLife) : "0",
                Long.toString(places.since(claim)));
    }

    private RedisCommand acquireScript(Claim claim, String... args) {
        String name = claim.name();
        return RedisCommand.script(
                scripts.acquire(), List.of(keys.lock(name), keys.fence(name), keys.waiting(name)), List.of(args));
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
        return settings.scripting() ? renewals.byScript(claims) : renewals.byTransaction(claims);
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
                ? transactions.ifMine(claim, delete)
                : transactions.ifMine(
                        claim, delete, RedisCommand.of(scripts.publish(), keys.channel(claim.name()), ""));
        return loss.<Release>map(Release.Lost::new).orElseGet(() -> new Release.Freed(true));
    }

    @Override
    public void releaseAll(List<Claim> claims) {
        if (!settings.scripting()) {
            LeaseProtocol.super.releaseAll(claims);
            return;
        }
        claims.forEach(places::leave);
        List<LockBackendException> failures = new ArrayList<>();
        batches.send(claims, this::releaseScript, Acknowledgement.NONE, (group, answer) -> {
            if (answer.reply() instanceof RedisLink.Reply.Failed failed) {
                failures.add(failed.cause());
            }
        });
        if (!failures.isEmpty()) {
            throw failures.get(0);
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
        return RedisCommand.script(scripts.release(), touched, args);
    }

    @Override
    public String lane(String name) {
        return node.lane(keys.lock(name));
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
