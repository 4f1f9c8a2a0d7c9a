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
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.engine.protocol.Watch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.redisson.config.Config;
import org.redisson.config.ShardedSubscriptionMode;

/**
 * The lock of Redisson: a hash of owners and their holds, which has the lease as its time to live, and a message when it is free.
 *
 * <p>Sends scripts of its own over the keys and channels of {@code org.redisson.RedissonLock}, since none of that class's asynchronous
 * methods can be repeated, undone or extended safely.
 */
final class RedissonProtocol implements LeaseProtocol {
    private static final System.Logger LOG = System.getLogger(RedissonProtocol.class.getPackageName());

    private static final Script ACQUIRE = Script.load("acquire.lua");
    private static final Script RELEASE = Script.load("release.lua");
    private static final Script RENEW = Script.load("renew.lua");
    private static final Script HOLDS = Script.load("holds.lua");
    private static final Script HELD = Script.load("held.lua");

    /** How many locks one script extends or releases; it keeps the server busy for about a millisecond. */
    private static final int BATCH = 256;

    /** What part of a lease an answer to a renewal may take. */
    private static final int RENEWAL_TRIES = 3;

    /**
     * How long the last fencing token is remembered. It only matters if the server's clock is set back meanwhile: otherwise the time,
     * from which tokens are drawn, has moved on.
     */
    private static final Duration TOKEN_LIFE = Duration.ofDays(1);

    private final ClientSource source;
    private final ScriptSender scripts;
    private final Listening listening;
    private final RedissonKeys keys;
    private final Settings settings;
    private final boolean cluster;
    private final boolean sharded;

    /** Whether the server that publishes knows all who listen. */
    private final boolean countsAll;

    private final Duration timeout;

    /** To what a plain lock of the client sets the time to live, again and again. */
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
        this.cluster = client.isClusterConfig();
        this.countsAll = client.isSingleConfig();
        this.sharded =
                cluster && client.useClusterServers().getShardedSubscriptionMode() != ShardedSubscriptionMode.OFF;
        this.scripts = new ScriptSender(source, env, failures);
        this.listening = new Listening(source, env, sharded);
    }

    static DistributedLockFactory newFactory(
            ClientSource source, Settings settings, RedissonFailures failures, LockConfig config, Environment env) {
        RedissonKeys keys = new RedissonKeys(config.keyPrefix(), source::map);
        RedissonProtocol protocol = new RedissonProtocol(source, keys, settings, failures, config, env);
        // A count that others see belongs to a thread, so that no lock passes to another one without Redis.
        LockConfig engineConfig =
                settings.holdsInRedis() ? config.toBuilder().localHandoffs(0).build() : config;
        return LockEngine.newFactory(
                RedissonStrategyProvider.NAME, settings.profile(keys.canListen()), protocol, engineConfig, env);
    }

    @Override
    public Attempt attempt(Claim claim) {
        String name = claim.name();
        try {
            requireLeaseThatPlainLocksLeaveAlone(claim);
            List<Long> answer = scripts.call(
                    ACQUIRE,
                    keys.plainName(name),
                    List.of(keys.lock(name), keys.token(name)),
                    List.of(
                            owner(claim),
                            millis(claim.lease()),
                            settings.fencing() ? claim.fences() : 0,
                            settings.tokenForEver() ? 0 : millis(TOKEN_LIFE)),
                    claim.timeout());
            if (answer.get(0) == 1) {
                return new Attempt.Granted(
                        validity(claim), settings.fencing() ? OptionalLong.of(answer.get(1)) : OptionalLong.empty());
            }
            // A negative time to live says that the key has none, or has just gone.
            return new Attempt.Refused(
                    Optional.of(answer.get(1)).filter(ttl -> ttl >= 0).map(Duration::ofMillis));
        } catch (LockBackendException e) {
            return new Attempt.Failed(e);
        }
    }

    /** A plain lock that enters ours sets the time to live to its own, of which we hear nothing. */
    private void requireLeaseThatPlainLocksLeaveAlone(Claim claim) {
        if (settings.holdsInRedis() && source.isShared() && claim.lease().compareTo(plainLease) > 0) {
            throw new LockBackendException(
                    LockBackendException.Reason.REFUSED,
                    "a lease of " + claim.lease() + " is longer than the client's lockWatchdogTimeout of " + plainLease
                            + ", to which a plain lock that enters ours would shorten it: shorten the lease, raise"
                            + " lockWatchdogTimeout, or set holds=local");
        }
    }

    @Override
    public List<Renewal> renew(List<Claim> claims) {
        List<List<Claim>> groups = groups(claims);
        List<ScriptSender.Sent> sent = groups.stream().map(this::sendRenewal).toList();
        List<Renewal> renewals = new ArrayList<>(claims.size());
        for (int i = 0; i < groups.size(); i++) {
            renewals.addAll(outcomes(groups.get(i), sent.get(i)));
        }
        return renewals;
    }

    private List<List<Claim>> groups(List<Claim> claims) {
        // The locks of a cluster are on many nodes, none of which is to wait for another one's answer.
        int batch = cluster ? 1 : BATCH;
        List<List<Claim>> groups = new ArrayList<>();
        for (int from = 0; from < claims.size(); from += batch) {
            groups.add(claims.subList(from, Math.min(from + batch, claims.size())));
        }
        return groups;
    }

    private ScriptSender.Sent sendRenewal(List<Claim> claims) {
        // Redisson does not tell when a connection breaks, and the lease runs on meanwhile.
        Duration patience = claims.stream()
                .map(claim -> claim.lease().dividedBy(RENEWAL_TRIES))
                .min(Duration::compareTo)
                .filter(shortest -> shortest.compareTo(claims.get(0).timeout()) < 0)
                .orElse(claims.get(0).timeout());
        try {
            List<Object> arguments = new ArrayList<>(2 * claims.size());
            for (Claim claim : claims) {
                arguments.add(owner(claim));
                arguments.add(millis(claim.lease()));
            }
            return scripts.send(
                    RENEW,
                    keys.plainName(claims.get(0).name()),
                    claims.stream().map(claim -> keys.lock(claim.name())).toList(),
                    arguments,
                    patience);
        } catch (LockBackendException e) {
            return () -> {
                throw e;
            };
        }
    }

    private static List<Renewal> outcomes(List<Claim> claims, ScriptSender.Sent sent) {
        List<Renewal> renewals = new ArrayList<>(claims.size());
        try {
            List<Long> answers = sent.answer();
            for (int i = 0; i < claims.size(); i++) {
                renewals.add(
                        answers.get(i) == 1
                                ? new Renewal.Renewed(validity(claims.get(i)))
                                : new Renewal.Lost(lossCause(answers.get(i))));
            }
        } catch (LockBackendException e) {
            claims.forEach(claim -> renewals.add(new Renewal.Failed(e)));
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
        // Several servers count only those who listen to them; a negative number says that nothing is known.
        return new Release.Freed(!countsAll || others != 0);
    }

    /** Whether there is a subscription of ours that no plain lock shares. */
    private boolean listensAlone(String channel) {
        return !source.isShared() && listening.isSubscribed(channel);
    }

    @Override
    public void releaseAll(List<Claim> claims) {
        List<ScriptSender.Sent> sent = new ArrayList<>();
        LockBackendException first = null;
        try {
            for (List<Claim> group : groups(claims)) {
                sent.add(sendRelease(group));
            }
        } catch (LockBackendException e) {
            first = e;
        }
        for (ScriptSender.Sent each : sent) {
            try {
                each.answer();
            } catch (LockBackendException e) {
                first = first == null ? e : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }

    private ScriptSender.Sent sendRelease(List<Claim> claims) {
        List<Object> arguments = new ArrayList<>(2 + 2 * claims.size());
        arguments.add(sharded ? "SPUBLISH" : "PUBLISH");
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

    @Override
    public boolean isLocked(String name) {
        // By a script, because Redisson asks replicas for what only reads.
        return scripts.call(HELD, keys.plainName(name), List.of(keys.lock(name)), List.of(), timeout)
                        .get(0)
                == 1;
    }

    private static LossCause lossCause(long answer) {
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

    /** The field of a claim, which no plain lock of this client has, since the name of a thread's ends with a number. */
    private String owner(Claim claim) {
        return clientId(claim) + ":" + claim.token();
    }

    private String clientId(Claim claim) {
        return source.get(claim.timeout()).getId();
    }

    @Override
    public Watch watch(String name, Runnable onFreed) {
        return keys.canListen() ? listening.to(keys.channel(name), onFreed) : Watch.NONE;
    }

    @Override
    public void close() {
        listening.close();
        source.close();
    }

    /** The lease less 1 % and 2 ms: what clocks may differ in rate, and the precision of Redis' expiry. */
    private static Duration validity(Claim claim) {
        return claim.lease().minus(claim.lease().dividedBy(100)).minusMillis(2);
    }

    private static String millis(Duration duration) {
        return Long.toString(duration.toMillis());
    }
}
