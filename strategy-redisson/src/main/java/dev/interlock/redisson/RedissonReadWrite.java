// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import dev.interlock.LockBackendException;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LockSide;
import dev.interlock.engine.protocol.LockSide.Access;
import dev.interlock.engine.protocol.ReadWriteProtocol;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.engine.protocol.Watch;
import dev.interlock.redisson.keys.RedissonKeys;
import dev.interlock.redisson.scripts.Script;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The read/write lock of Redisson: a hash with the mode and a field for each reader and the writer, a key for the hold
 * of each reader, which lives as long as its lease, and a message when a side may be free. Nobody queues, so that
 * readers may keep writers out. Safe to use from any thread.
 *
 * <p>Sends scripts of its own over the keys and channels of {@code org.redisson.RedissonReadLock} and {@code
 * RedissonWriteLock}, as {@link RedissonProtocol} does for locks.
 */
final class RedissonReadWrite implements ReadWriteProtocol {
    private static final String SIDES = "readwrite/sides.lua";
    private static final String TOKEN = "readwrite/token.lua";

    private static final Script READ = Script.load(SIDES, TOKEN, "readwrite/redisson-read.lua");
    private static final Script WRITE = Script.load(SIDES, TOKEN, "readwrite/redisson-write.lua");
    private static final Script RENEW = Script.load(SIDES, "readwrite/redisson-readwrite-renew.lua");
    private static final Script RELEASE = Script.load("readwrite/redisson-readwrite-release.lua");
    private static final Script LOOK = Script.load("readwrite/redisson-readwrite-look.lua");

    private static final int READERS = 0;
    private static final int WRITER = 1;

    private final ClientSource source;
    private final ScriptSender scripts;
    private final AcknowledgedSender acknowledged;
    private final LeaseBatches batches;
    private final LockChannels channels;
    private final RedissonKeys keys;
    private final Settings settings;
    private final Terms terms;

    /**
     * What the read/write locks share with the other locks of a client.
     *
     * @param publish the command that publishes
     * @param plainLease the time to live that a plain lock of the client sets at each renewal
     * @param timeout how long to wait for the answer to a question
     */
    record Terms(String publish, Duration plainLease, Duration timeout) {}

    RedissonReadWrite(
            ClientSource source,
            ScriptSender scripts,
            AcknowledgedSender acknowledged,
            LeaseBatches batches,
            LockChannels channels,
            RedissonKeys keys,
            Settings settings,
            Terms terms) {
        this.source = source;
        this.scripts = scripts;
        this.acknowledged = acknowledged;
        this.batches = batches;
        this.channels = channels;
        this.keys = keys;
        this.settings = settings;
        this.terms = terms;
    }

    @Override
    public boolean queues() {
        return false;
    }

    @Override
    public Attempt attempt(SideClaim asked) {
        Claim claim = asked.claim();
        Optional<LockBackendException> objection = objection(claim);
        if (objection.isPresent()) {
            return new Attempt.Failed(objection.get());
        }
        try {
            ScriptSender.Sent sent = reads(claim) ? sendRead(asked) : sendWrite(claim);
            List<Long> answer = sent.answer();
            if (answer.get(0) == 1) {
                sent.requireCopy();
                return new Attempt.Granted(
                        RedissonProtocol.validity(claim),
                        settings.fencing() ? OptionalLong.of(answer.get(1)) : OptionalLong.empty());
            }
            return new Attempt.Refused(
                    Optional.of(answer.get(1)).filter(ttl -> ttl >= 0).map(Duration::ofMillis));
        } catch (LockBackendException e) {
            return new Attempt.Failed(e);
        }
    }

    /**
     * Rejects leases that the renewal of a plain reader would shorten: it sets the time to live of the whole hash.
     *
     * @return why, or empty if the lease is good
     */
    private Optional<LockBackendException> objection(Claim claim) {
        return source.isShared() && reads(claim) && claim.lease().compareTo(terms.plainLease) > 0
                ? Optional.of(new LockBackendException(
                        LockBackendException.Reason.REFUSED,
                        "a lease of " + claim.lease() + " to read is longer than the client's lockWatchdogTimeout of "
                                + terms.plainLease + ", to which a plain reader would shorten it: shorten the lease, or"
                                + " raise lockWatchdogTimeout"))
                : Optional.empty();
    }

    private ScriptSender.Sent sendRead(SideClaim asked) {
        Claim claim = asked.claim();
        String name = claim.lockName();
        List<Object> arguments = arguments(claim);
        arguments.add(
                asked.within().map(token -> field(claim, token, Access.WRITE)).orElse(""));
        return acknowledged.send(
                READ, name, List.of(keys.lock(name), keys.token(name), hold(claim)), arguments, claim.timeout());
    }

    private ScriptSender.Sent sendWrite(Claim claim) {
        String name = claim.lockName();
        return acknowledged.send(
                WRITE, name, List.of(keys.lock(name), keys.token(name)), arguments(claim), claim.timeout());
    }

    private List<Object> arguments(Claim claim) {
        List<Object> arguments = new ArrayList<>();
        arguments.add(field(claim));
        arguments.add(RedissonProtocol.millis(claim.lease()));
        arguments.add(settings.fencing() ? 1 : 0);
        arguments.add(settings.tokenLife().map(RedissonProtocol::millis).orElse("0"));
        return arguments;
    }

    @Override
    public List<Renewal> renew(List<SideClaim> claims) {
        Map<Claim, Renewal> renewals = new HashMap<>();
        List<Claim> all = claims.stream().map(SideClaim::claim).toList();
        List<Claim> good = new ArrayList<>();
        for (Claim claim : all) {
            objection(claim)
                    .ifPresentOrElse(why -> renewals.put(claim, new Renewal.Failed(why)), () -> good.add(claim));
        }
        batches.run(good, this::sendRenewal, (group, sent) -> renewals.putAll(RedissonProtocol.outcomes(group, sent)));
        return all.stream().map(renewals::get).toList();
    }

    private ScriptSender.Sent sendRenewal(List<Claim> claims) {
        List<Object> arguments = new ArrayList<>(2 * claims.size());
        for (Claim claim : claims) {
            arguments.add(field(claim));
            arguments.add(RedissonProtocol.millis(claim.lease()));
        }
        return acknowledged.send(
                RENEW, claims.get(0).lockName(), touched(claims), arguments, RedissonProtocol.patience(claims));
    }

    /** Returns for each claim the key of the lock and that of the hold, which for a writer is the lock. */
    private List<String> touched(List<Claim> claims) {
        List<String> touched = new ArrayList<>(2 * claims.size());
        for (Claim claim : claims) {
            String lock = keys.lock(claim.lockName());
            touched.add(lock);
            touched.add(reads(claim) ? hold(claim) : lock);
        }
        return touched;
    }

    @Override
    public Release release(SideClaim given) {
        long state = sendRelease(List.of(given.claim())).answer().get(0);
        // Each thread asks for itself, so that nobody here waits for what others do first.
        return state == 1 ? new Release.Freed(false) : new Release.Lost(RedissonProtocol.lossCause(state));
    }

    @Override
    public void releaseAll(List<SideClaim> claims) {
        batches.deliver(claims.stream().map(SideClaim::claim).toList(), this::sendRelease);
    }

    private ScriptSender.Sent sendRelease(List<Claim> claims) {
        List<Object> arguments = new ArrayList<>(1 + 3 * claims.size());
        arguments.add(terms.publish);
        for (Claim claim : claims) {
            arguments.add(field(claim));
            arguments.add(keys.readWriteChannel(claim.lockName()));
            arguments.add(keys.holds(claim.lockName()));
        }
        return scripts.send(
                RELEASE,
                keys.plainName(claims.get(0).lockName()),
                touched(claims),
                arguments,
                claims.get(0).timeout());
    }

    @Override
    public boolean isLocked(LockSide side) {
        String name = side.lockName();
        List<Long> held = scripts.call(LOOK, keys.plainName(name), List.of(keys.lock(name)), List.of(), terms.timeout);
        return held.get(side.access() == Access.READ ? READERS : WRITER) == 1;
    }

    /**
     * {@inheritDoc}
     *
     * <p>Runs the action at once if the client listens already: many threads ask for one lock, so that nobody knows
     * whether a message came before the reply to one of them or after it.
     */
    @Override
    public Watch watch(LockSide side, Runnable onTurn) {
        return keys.canListen() ? channels.to(keys.readWriteChannel(side.lockName()), onTurn) : Watch.NONE;
    }

    private static boolean reads(Claim claim) {
        return access(claim) == Access.READ;
    }

    private static Access access(Claim claim) {
        return LockSide.of(claim.name()).orElseThrow().access();
    }

    private String hold(Claim claim) {
        return RedissonKeys.hold(keys.holds(claim.lockName()), field(claim));
    }

    private String field(Claim claim) {
        return field(claim, claim.token(), access(claim));
    }

    /**
     * Returns the field of a claim in the hash. No plain lock of this client has it, since the one of a thread has a
     * number in place of our token.
     */
    private String field(Claim claim, String token, Access access) {
        String owner = source.get(claim.timeout()).getId() + ":" + token;
        return access == Access.WRITE ? owner + ":write" : owner;
    }
}
