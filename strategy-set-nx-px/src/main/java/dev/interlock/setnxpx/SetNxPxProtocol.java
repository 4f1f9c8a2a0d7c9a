// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import dev.interlock.DistributedLockFactory;
import dev.interlock.LockBackendException;
import dev.interlock.LockConfig;
import dev.interlock.engine.LockEngine;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.ConditionProtocol;
import dev.interlock.engine.protocol.JointLeases;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.ReadWriteProtocol;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.engine.protocol.Watch;
import dev.interlock.redis.LockKeys;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.inspect.FactoryCards;
import dev.interlock.redis.waiting.ContendedNames;
import dev.interlock.setnxpx.readwrite.ReadWriteLeases;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The lock on one Redis server, which in a cluster is the one that is responsible for the lock's name. The lock is a
 * key that holds the owner token, has the lease as its time to live, and shows whether somebody waits.
 *
 * @see <a href="https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/">Distributed locks with
 *     Redis</a>, "Correct implementation with a single instance"
 */
final class SetNxPxProtocol implements LeaseProtocol {
    /**
     * How long the last fencing token is remembered. This matters only if the server's clock is set back meanwhile:
     * otherwise the time, from which tokens are drawn, has moved on.
     */
    static final Duration FENCE_LIFE = Duration.ofDays(1);

    static final String FENCE_LIFE_MILLIS = millis(FENCE_LIFE);

    private static final Duration LEAST_TIMEOUT = Duration.ofMillis(1);

    private final RedisNode node;
    private final LockKeys keys;
    private final Settings settings;
    private final Duration timeout;
    private final OwnedTransactions transactions;
    private final LeaseRenewals renewals;
    private final Places places;
    private final ScriptedReleases releases;
    private final ScriptedAttempts attempts;
    private final JointScripts joint;
    private final FactoryCards cards;
    private final ScriptedConditions conditions;
    private final ReadWriteLeases readWrite;

    SetNxPxProtocol(RedisNode node, Settings settings, LockConfig config, Environment env) {
        this(node, settings, config, env, Places.LONGEST_HAND_OFF);
    }

    /** With another bound of the lease that a release grants, so that a test need not be quick. */
    SetNxPxProtocol(RedisNode node, Settings settings, LockConfig config, Environment env, Duration longestHandOff) {
        this.node = node;
        this.keys = settings.wire().keys(config.keyPrefix());
        this.settings = settings;
        this.timeout = config.commandTimeout();
        this.cards = new FactoryCards(node, config, env);
        Batches batches = new Batches(node, keys);
        ContendedNames contended = new ContendedNames();
        this.transactions = new OwnedTransactions(node, keys, settings);
        this.renewals = new LeaseRenewals(keys, batches, transactions, settings.acknowledgement());
        this.places = new Places(env, node, keys, longestHandOff);
        this.releases = new ScriptedReleases(node, keys, settings, env, batches, places, contended);
        this.readWrite = new ReadWriteLeases(node, keys, settings.readWriteTerms(config), env);
        this.attempts = new ScriptedAttempts(node, keys, settings, config, env, places, contended, releases);
        this.conditions = new ScriptedConditions(node, keys, settings, config, places, contended, releases);
        this.joint = new JointScripts(node, keys, settings, contended, places, releases, cards);
    }

    static DistributedLockFactory newFactory(RedisNode node, Settings settings, LockConfig config, Environment env) {
        SetNxPxProtocol protocol = new SetNxPxProtocol(node, settings, config, env);
        return LockEngine.newFactory(SetNxPxStrategyProvider.NAME, settings.profile(), protocol, config, env);
    }

    @Override
    public Attempt attempt(Claim claim) {
        try {
            Attempt attempt = takeGrant(claim)
                    .orElseGet(() -> settings.scripting() ? attempts.ask(claim) : transactions.ask(claim));
            cards.attempted(claim, attempt);
            return attempt;
        } catch (LockBackendException e) {
            places.leave(claim);
            return new Attempt.Failed(e);
        }
    }

    /** A grant by message has no acknowledgement; asking again obtains it. */
    private Optional<Attempt> takeGrant(Claim claim) {
        if (settings.acknowledgement().isWanted()) {
            places.forgetGrant(claim);
            return Optional.empty();
        }
        return places.takeGrant(claim);
    }

    @Override
    public List<Renewal> renew(List<Claim> claims) {
        cards.writeIfDue(claims.get(0));
        return settings.scripting() ? renewals.byScript(claims) : renewals.byTransaction(claims);
    }

    @Override
    public Release release(Claim claim) {
        places.leave(claim);
        return settings.scripting() ? releases.release(claim) : transactions.release(claim);
    }

    @Override
    public void releaseAll(List<Claim> claims) {
        if (!settings.scripting()) {
            LeaseProtocol.super.releaseAll(claims);
            return;
        }
        claims.forEach(places::leave);
        releases.releaseAll(claims);
    }

    /** Throws for a name whose plain key would be among the keys that Interlock keeps beside the locks. */
    @Override
    public void checkName(String name) {
        keys.lock(name);
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
    public Optional<ConditionProtocol> conditions() {
        return settings.queues() ? Optional.of(conditions) : Optional.empty();
    }

    /** Empty if writes must be acknowledged: these are sent, and waited for, lock by lock. */
    @Override
    public Optional<JointLeases> joint() {
        return settings.scripting() && !settings.acknowledgement().isWanted() ? Optional.of(joint) : Optional.empty();
    }

    @Override
    public Optional<ReadWriteProtocol> readWrite() {
        // Programs that share plain keys would not respect the keys of a read/write lock.
        return settings.queues() && !settings.wire().isPlain() ? Optional.of(readWrite) : Optional.empty();
    }

    @Override
    public void watchTakeovers(Runnable onTakeover) {
        node.watchTakeovers(onTakeover);
    }

    @Override
    public void close() {
        node.close();
    }

    /** Returns the lease less 1 % for the drift of clocks, and less 2 ms for the precision of Redis' expiry. */
    static Duration validity(Duration lease) {
        // Duration.dividedBy would calculate with BigDecimal at each acquisition.
        return lease.minusNanos(lease.toNanos() / 100).minusMillis(2);
    }

    /** Returns a claim with what is left of its time-out, for a second request. */
    static Claim withTimeLeft(Claim claim, long sinceNanos, Environment env) {
        Duration left = claim.timeout().minusNanos(env.nanoTime() - sinceNanos);
        return claim.withTimeout(left.compareTo(LEAST_TIMEOUT) < 0 ? LEAST_TIMEOUT : left);
    }

    static String millis(Duration duration) {
        return Long.toString(duration.toMillis());
    }
}
