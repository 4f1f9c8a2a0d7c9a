// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import dev.interlock.DistributedLockFactory;
import dev.interlock.LockBackendException;
import dev.interlock.LockConfig;
import dev.interlock.LossCause;
import dev.interlock.engine.LockEngine;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.ReadWriteProtocol;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.engine.protocol.Watch;
import dev.interlock.redis.inspect.FactoryCards;
import dev.interlock.redisson.RedissonFailures.CrossSlotException;
import dev.interlock.redisson.keys.RedissonKeys;
import dev.interlock.redisson.scripts.Script;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.redisson.config.Config;
import org.redisson.config.ShardedSubscriptionMode;

/**
 * The lock of Redisson: a hash of owners and their hold counts with the lease as its time to live, and a message at
 * each release.
 *
 * <p>Sends scripts of its own over the keys and channels of {@code org.redisson.RedissonLock}, since none of that
 * class's asynchronous methods can be repeated, undone or renewed safely.
 */
final class RedissonProtocol implements LeaseProtocol {
    private static final System.Logger LOG = System.getLogger(RedissonProtocol.class.getPackageName());

    private static final Script ACQUIRE = Script.load("redisson-acquire.lua");
    private static final Script RELEASE = Script.load("redisson-release.lua");
    private static final Script RENEW = Script.load("redisson-renew.lua");
    private static final Script HOLDS = Script.load("holds.lua");
    private static final Script HELD = Script.load("held.lua");
    private static final Script CARD = Script.load("card.lua");

    /** The fraction of a lease, as a divisor, that the reply to a renewal may take. */
    private static final int RENEWAL_TRIES = 3;

    private final ClientSource source;
    private final ScriptSender scripts;
    private final AcknowledgedSender acknowledged;
    private final RedissonShards shards;
    private final LeaseBatches batches;
    private final LockChannels channels;
    private final RedissonReadWrite readWrite;
    private final RedissonKeys keys;
    private final Settings settings;
    private final FactoryCards cards;
    private final boolean sharded;

    /** Whether the publishing server counts all subscribers. */
    private final boolean countsAll;

    private final Duration timeout;

    /** The time to live that a plain lock of the client sets at each renewal. */
    private final Duration plainLease;

    RedissonProtocol(
            ClientSource source,
            RedissonKeys keys,
            Settings settings,
            RedissonFailures failures,
            LockConfig config,
            Environment env) {
        Config client = source.config();
        this.source = source;
        this.keys = keys;
        this.settings = settings;
        this.timeout = config.commandTimeout();
        this.plainLease = Duration.ofMillis(client.getLockWatchdogTimeout());
        boolean cluster = client.isClusterConfig();
        this.countsAll = client.isSingleConfig();
        this.sharded =
                cluster && client.useClusterServers().getShardedSubscriptionMode() != ShardedSubscriptionMode.OFF;
        this.scripts = new ScriptSender(source, env, failures);
        this.shards = new RedissonShards(source, keys, cluster);
        this.batches = new LeaseBatches(shards, cluster);
        this.acknowledged = new AcknowledgedSender(source, scripts, keys, shards, failures, env);
        this.cards = new FactoryCards(this::writeCard, config, env);
        this.channels = new LockChannels(source, env, sharded);
        this.readWrite = new RedissonReadWrite(
                source,
                scripts,
                acknowledged,
                batches,
                channels,
                keys,
                settings,
                new RedissonReadWrite.Terms(publish(), plainLease, timeout));
    }

    static DistributedLockFactory newFactory(
            ClientSource source, Settings settings, RedissonFailures failures, LockConfig config, Environment env) {
        RedissonKeys keys = new RedissonKeys(
                config.keyPrefix(), source::map, source.config().isClusterConfig());
        RedissonProtocol protocol = new RedissonProtocol(source, keys, settings, failures, config, env);
        // A hold count that is visible in Redis belongs to a thread, so there is no local hand-off.
        LockConfig engineConfig =
                settings.holdsInRedis() ? config.toBuilder().localHandoffs(0).build() : config;
        return LockEngine.newFactory(
                RedissonStrategyProvider.NAME, settings.profile(keys.canListen()), protocol, engineConfig, env);
    }

    @Override
    public String lane(String name) {
        return shards.node(name);
    }

    @Override
    public Attempt attempt(Claim claim) {
        Attempt attempt = ask(claim);
        cards.attempted(claim, attempt);
        return attempt;
    }

    private void writeCard(String key, String text, long lifeMillis) {
        scripts.call(CARD, key, List.of(key), List.of(text, lifeMillis), timeout);
    }

    private Attempt ask(Claim claim) {
        String name = claim.name();
        Optional<LockBackendException> objection = objection(claim);
        if (objection.isPresent()) {
            return new Attempt.Failed(objection.get());
        }
        try {
            channels.asking(keys.channel(name));
            ScriptSender.Sent sent = acknowledged.send(
                    ACQUIRE,
                    name,
                    List.of(keys.lock(name), keys.token(name)),
                    List.of(
                            owner(claim),
                            millis(claim.lease()),
                            settings.fencing() ? claim.fences() : 0,
                            settings.tokenLife().map(RedissonProtocol::millis).orElse("0")),
                    claim.timeout());
            List<Long> answer = sent.answer();
            if (answer.get(0) == 1) {
                sent.requireCopy();
                return new Attempt.Granted(
                        validity(claim), settings.fencing() ? OptionalLong.of(answer.get(1)) : OptionalLong.empty());
            }
            // A negative time to live means that the key has none, or has just expired.
            return new Attempt.Refused(
                    Optional.of(answer.get(1)).filter(ttl -> ttl >= 0).map(Duration::ofMillis));
        } catch (LockBackendException e) {
            return new Attempt.Failed(e);
        }
    }

    /**
     * Rejects leases that a plain lock would shorten: a plain lock that re-enters ours sets the time to live to its own
     * without notice.
     *
     * @return why, or empty if the lease is good
     */
    private Optional<LockBackendException> objection(Claim claim) {
        return settings.holdsInRedis() && source.isShared() && claim.lease().compareTo(plainLease) > 0
                ? Optional.of(new LockBackendException(
                        LockBackendException.Reason.REFUSED,
                        "a lease of " + claim.lease() + " is longer than the client's lockWatchdogTimeout of "
                                + plainLease + ", to which a plain lock that enters ours would shorten it: shorten the"
                                + " lease, raise lockWatchdogTimeout, or set holds=local"))
                : Optional.empty();
    }

    @Override
    public List<Renewal> renew(List<Claim> claims) {
        cards.writeIfDue(claims.get(0));
        Map<Claim, Renewal> renewals = new HashMap<>();
        List<Claim> good = new ArrayList<>();
        for (Claim claim : claims) {
            objection(claim)
                    .ifPresentOrElse(why -> renewals.put(claim, new Renewal.Failed(why)), () -> good.add(claim));
        }
        batches.run(good, this::sendRenewal, (group, sent) -> renewals.putAll(outcomes(group, sent)));
        return claims.stream().map(renewals::get).toList();
    }

    private ScriptSender.Sent sendRenewal(List<Claim> claims) {
        List<Object> arguments = new ArrayList<>(2 * claims.size());
        for (Claim claim : claims) {
            arguments.add(owner(claim));
            arguments.add(millis(claim.lease()));
        }
        return acknowledged.send(
                RENEW,
                claims.get(0).name(),
                claims.stream().map(claim -> keys.lock(claim.name())).toList(),
                arguments,
                patience(claims));
    }

    /**
     * Returns how long to wait for the reply to a renewal. Redisson does not report a broken connection, so a renewal
     * must leave time for another one.
     */
    static Duration patience(List<Claim> claims) {
        return claims.stream()
                .map(claim -> claim.lease().dividedBy(RENEWAL_TRIES))
                .min(Duration::compareTo)
                .filter(shortest -> shortest.compareTo(claims.get(0).timeout()) < 0)
                .orElse(claims.get(0).timeout());
    }

    /** Returns the outcomes of a script that answers 1 for each lease that is renewed. */
    static Map<Claim, Renewal> outcomes(List<Claim> claims, ScriptSender.Sent sent) {
        Map<Claim, Renewal> renewals = new HashMap<>();
        try {
            List<Long> answers = sent.answer();
            for (int i = 0; i < claims.size(); i++) {
                if (answers.get(i) != 1) {
                    renewals.put(claims.get(i), new Renewal.Lost(lossCause(answers.get(i))));
                }
            }
            if (renewals.size() < claims.size()) {
                sent.requireCopy();
            }
            claims.forEach(claim -> renewals.putIfAbsent(claim, new Renewal.Renewed(validity(claim))));
        } catch (CrossSlotException e) {
            throw e;
        } catch (LockBackendException e) {
            claims.forEach(claim -> renewals.putIfAbsent(claim, new Renewal.Failed(e)));
        }
        return renewals;
    }

    @Override
    public Release release(Claim claim) {
        String channel = keys.channel(claim.name());
        boolean listens = listensAlone(channel);
        List<Long> answer = sendRelease(List.of(claim)).answer();
        if (answer.get(0) != 1) {
            return new Release.Lost(lossCause(answer.get(0)));
        }
        long others = answer.get(1) - (listens && listensAlone(channel) ? 1 : 0);
        // Each of several servers counts its own subscribers only; a negative number means unknown.
        return new Release.Freed(!countsAll || others != 0);
    }

    /** Returns whether there is a subscription of ours that no plain lock shares. */
    private boolean listensAlone(String channel) {
        return !source.isShared() && channels.isSubscribed(channel);
    }

    @Override
    public void releaseAll(List<Claim> claims) {
        batches.deliver(claims, this::sendRelease);
    }

    private ScriptSender.Sent sendRelease(List<Claim> claims) {
        List<Object> arguments = new ArrayList<>(2 + 2 * claims.size());
        arguments.add(publish());
        arguments.add(millis(plainLease));
        for (Claim claim : claims) {
            arguments.add(owner(claim));
            arguments.add(keys.channel(claim.name()));
        }
        return scripts.send(
                RELEASE,
                keys.plainName(claims.get(0).name()),
                claims.stream().map(claim -> keys.lock(claim.name())).toList(),
                arguments,
                claims.get(0).timeout());
    }

    private String publish() {
        return sharded ? "SPUBLISH" : "PUBLISH";
    }

    @Override
    public boolean isLocked(String name) {
        // Uses a script, because Redisson sends plain reads to replicas.
        return scripts.call(HELD, keys.plainName(name), List.of(keys.lock(name)), List.of(), timeout)
                        .get(0)
                == 1;
    }

    static LossCause lossCause(long answer) {
        return answer == 0 ? LossCause.GONE : LossCause.TAKEN;
    }

    @Override
    public void holdsChanged(Claim claim, int holds) {
        if (!settings.holdsInRedis()) {
            return;
        }
        try {
            scripts.call(
                    HOLDS,
                    keys.plainName(claim.name()),
                    List.of(keys.lock(claim.name())),
                    List.of(
                            owner(claim),
                            clientId(claim) + ":" + Thread.currentThread().getId(),
                            holds),
                    claim.timeout());
        } catch (LockBackendException e) {
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "the holds of lock \"" + claim.name() + "\" are not in Redis until they change again",
                    e);
        }
    }

    /**
     * Returns the hash field of a claim. No plain lock of this client has it, since the field of a thread ends with a
     * number.
     */
    private String owner(Claim claim) {
        return clientId(claim) + ":" + claim.token();
    }

    private String clientId(Claim claim) {
        return source.get(claim.timeout()).getId();
    }

    @Override
    public Watch watch(String name, Runnable onFreed) {
        return keys.canListen() ? channels.to(keys.channel(name), onFreed) : Watch.NONE;
    }

    @Override
    public Optional<ReadWriteProtocol> readWrite() {
        return Optional.of(readWrite);
    }

    @Override
    public void close() {
        channels.close();
        source.close();
    }

    /** Returns the lease less 1 % for clock drift and 2 ms for the precision of Redis' expiry. */
    static Duration validity(Claim claim) {
        return claim.lease().minus(claim.lease().dividedBy(100)).minusMillis(2);
    }

    static String millis(Duration duration) {
        return Long.toString(duration.toMillis());
    }
}
