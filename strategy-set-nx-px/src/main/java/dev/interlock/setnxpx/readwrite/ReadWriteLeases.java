// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx.readwrite;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LossCause;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LockSide;
import dev.interlock.engine.protocol.LockSide.Access;
import dev.interlock.engine.protocol.ReadWriteProtocol;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.engine.protocol.Watch;
import dev.interlock.redis.Acknowledgement;
import dev.interlock.redis.LockKeys;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink.Reply;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.RedisNode.Acknowledged;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Read/write locks by scripts: a writer is a key with an expiry, readers are a sorted set by the ends of their leases,
 * which the server's own time judges. Every script first removes expired leases, and begins the next phase if the last
 * one is over. Safe to use from any thread.
 */
public final class ReadWriteLeases implements ReadWriteProtocol {
    private static final int WRITER = 0;
    private static final int READERS = 1;

    /** The number of leases that one script renews; this keeps the server busy for about a millisecond. */
    private static final int MOST_RENEWALS = 256;

    /**
     * The fraction of its time-out, as a divisor, that an acquisition reserves for the release of a side that was not
     * acknowledged.
     */
    private static final int SHARE_OF_TAKING_BACK = 4;

    private final RedisNode node;
    private final LockKeys keys;
    private final ReadWriteTerms terms;
    private final ReadWriteScripts scripts;
    private final SideTurns turns;

    /**
     * Creates the read/write locks of a client.
     *
     * @param node the server
     * @param keys the names of keys
     * @param terms the settings that all locks of the client share
     * @param env time and chance
     */
    public ReadWriteLeases(RedisNode node, LockKeys keys, ReadWriteTerms terms, Environment env) {
        this.node = node;
        this.keys = keys;
        this.terms = terms;
        this.scripts = ReadWriteScripts.of(node.isSharded());
        this.turns = new SideTurns(env, node, keys, terms);
    }

    @Override
    public Attempt attempt(SideClaim asked) {
        try {
            return ask(asked);
        } catch (LockBackendException e) {
            turns.leave(asked.claim());
            return new Attempt.Failed(e);
        }
    }

    private Attempt ask(SideClaim asked) {
        boolean enters = turns.enter(asked);
        Acknowledged answer = send(asked, askScript(asked, enters));
        List<?> reply = (List<?>) reply(answer.reply());
        long number = (Long) reply(reply.get(1));
        if ((Long) reply(reply.get(0)) == 1) {
            turns.leave(asked.claim());
            return answer.shortfall()
                    .map(shortfall -> takeBack(asked, shortfall))
                    .orElseGet(() -> new Attempt.Granted(
                            terms.validity().apply(asked.claim().lease()),
                            number == 0 ? OptionalLong.empty() : OptionalLong.of(number)));
        }
        if (enters) {
            turns.refused(asked, (Long) reply(reply.get(2)));
        }
        return new Attempt.Refused(Optional.of(number).filter(ends -> ends >= 0).map(Duration::ofMillis));
    }

    /** Sends the command that takes a side, and waits for the acknowledgement if the options require one. */
    private Acknowledged send(SideClaim asked, RedisCommand command) {
        Acknowledgement wanted = terms.acknowledgement();
        Duration within = asked.claim().timeout();
        return wanted.isWanted()
                ? node.callAcknowledged(command, wanted, within)
                : new Acknowledged(node.callOrUndo(command, () -> releaseScript(asked), within), Optional.empty());
    }

    /** Releases a side that too few replicas have acknowledged. */
    private Attempt takeBack(SideClaim asked, LockBackendException shortfall) {
        Reason reason = shortfall.reason();
        try {
            node.call(releaseScript(asked), asked.claim().timeout().dividedBy(SHARE_OF_TAKING_BACK));
        } catch (LockBackendException e) {
            // The engine tries again later.
            reason = Reason.OUTCOME_UNKNOWN;
        }
        String message = "lock \"" + asked.side().lockName() + "\" was granted and is given back: ";
        return new Attempt.Failed(new LockBackendException(reason, message + shortfall.getMessage(), shortfall));
    }

    private RedisCommand askScript(SideClaim asked, boolean enters) {
        Claim claim = asked.claim();
        return RedisCommand.script(
                asked.side().access() == Access.READ ? scripts.read() : scripts.write(),
                keys.readWrite(asked.side().lockName()),
                List.of(
                        claim.token(),
                        millis(claim.lease()),
                        terms.fencing() ? "1" : "0",
                        millis(terms.fenceLife()),
                        asked.within().orElse(""),
                        turns.place(asked),
                        turns.channel(asked.side()),
                        enters ? millis(terms.listLife()) : "0",
                        Long.toString(turns.since(asked))));
    }

    @Override
    public List<Renewal> renew(List<SideClaim> claims) {
        Map<SideClaim, Renewal> outcomes = new HashMap<>();
        for (List<SideClaim> group : together(claims)) {
            renew(group, outcomes);
        }
        return claims.stream().map(outcomes::get).toList();
    }

    /** Divides claims into those that may go together in one script. */
    private List<List<SideClaim>> together(List<SideClaim> claims) {
        Map<Integer, List<SideClaim>> bySlot = new LinkedHashMap<>();
        claims.forEach(claim -> bySlot.computeIfAbsent(
                        node.slot(keys.lock(claim.side().lockName())), slot -> new ArrayList<>())
                .add(claim));
        List<List<SideClaim>> groups = new ArrayList<>();
        for (List<SideClaim> sameSlot : bySlot.values()) {
            for (int from = 0; from < sameSlot.size(); from += MOST_RENEWALS) {
                groups.add(sameSlot.subList(from, Math.min(from + MOST_RENEWALS, sameSlot.size())));
            }
        }
        return groups;
    }

    private void renew(List<SideClaim> group, Map<SideClaim, Renewal> outcomes) {
        try {
            Acknowledgement wanted = terms.acknowledgement();
            RedisCommand script = renewScript(group);
            Duration within = group.get(0).claim().timeout();
            Acknowledged answer = wanted.isWanted()
                    ? node.callAcknowledged(script, wanted.urgently(), within)
                    : new Acknowledged(node.callUrgently(script, within), Optional.empty());
            List<?> states = (List<?>) reply(answer.reply());
            for (int i = 0; i < group.size(); i++) {
                outcomes.put(group.get(i), renewal(group.get(i), (Long) reply(states.get(i)), answer));
            }
        } catch (LockBackendException e) {
            group.forEach(claim -> outcomes.put(claim, new Renewal.Failed(e)));
        }
    }

    private RedisCommand renewScript(List<SideClaim> group) {
        List<String> touched = new ArrayList<>(group.size());
        List<String> args = new ArrayList<>(3 * group.size());
        for (SideClaim claim : group) {
            boolean reads = claim.side().access() == Access.READ;
            touched.add(keys.readWrite(claim.side().lockName()).get(reads ? READERS : WRITER));
            args.add(letter(claim.side()));
            args.add(claim.claim().token());
            args.add(millis(claim.claim().lease()));
        }
        return RedisCommand.script(ReadWriteScripts.RENEW, touched, args);
    }

    private Renewal renewal(SideClaim claim, long state, Acknowledged answer) {
        if (state != 1) {
            return new Renewal.Lost(lossCause(state));
        }
        return answer.shortfall()
                .<Renewal>map(Renewal.Failed::new)
                .orElseGet(() ->
                        new Renewal.Renewed(terms.validity().apply(claim.claim().lease())));
    }

    private static LossCause lossCause(long state) {
        return state == 0 ? LossCause.GONE : LossCause.TAKEN;
    }

    @Override
    public Release release(SideClaim given) {
        turns.leave(given.claim());
        long state = (Long) reply(node.call(releaseScript(given), given.claim().timeout()));
        return state == 1 ? new Release.Freed(false) : new Release.Lost(lossCause(state));
    }

    @Override
    public void releaseAll(List<SideClaim> claims) {
        Duration within = claims.get(0).claim().timeout();
        List<RedisCommand> releases = new ArrayList<>();
        for (SideClaim claim : claims) {
            turns.leave(claim.claim());
            releases.add(releaseScript(claim));
        }
        for (Reply reply : node.callEach(releases, within)) {
            if (reply instanceof Reply.Failed failed) {
                throw failed.cause();
            }
        }
    }

    private RedisCommand releaseScript(SideClaim given) {
        Claim claim = given.claim();
        return RedisCommand.script(
                scripts.release(),
                keys.readWrite(given.side().lockName()),
                List.of(letter(given.side()), claim.token(), claim.isWaiting() ? turns.place(given) : ""));
    }

    private static String letter(LockSide side) {
        return side.access() == Access.READ ? "r" : "w";
    }

    @Override
    public boolean isLocked(LockSide side) {
        List<String> all = keys.readWrite(side.lockName());
        List<?> seen = (List<?>) reply(node.call(
                RedisCommand.script(ReadWriteScripts.LOOK, List.of(all.get(WRITER), all.get(READERS)), List.of()),
                terms.timeout()));
        return (Long) reply(seen.get(side.access() == Access.WRITE ? 0 : 1)) > 0;
    }

    @Override
    public Watch watch(LockSide side, Runnable onTurn) {
        return turns.watch(side, onTurn);
    }

    private static String millis(Duration duration) {
        return Long.toString(duration.toMillis());
    }

    private static Object reply(@Nullable Object reply) {
        return Objects.requireNonNull(reply, "a script of ours never answers nil");
    }
}
