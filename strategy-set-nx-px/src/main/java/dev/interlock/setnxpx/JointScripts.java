// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.JointLeases;
import dev.interlock.engine.protocol.Release;
import dev.interlock.redis.LockKeys;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.inspect.FactoryCards;
import dev.interlock.redis.waiting.ContendedNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Takes several locks of one server, or of one slot, by one script. Safe to use from any thread. */
final class JointScripts implements JointLeases {
    /** The most locks that one script takes, which keeps the server busy for less than a millisecond. */
    private static final int MOST = 64;

    private static final long TAKEN = 1;
    private static final long HELD_BY_ANOTHER = -1;

    private final RedisNode node;
    private final LockKeys keys;
    private final Settings settings;
    private final ContendedNames contended;
    private final Places places;
    private final ScriptedReleases releases;
    private final FactoryCards cards;

    JointScripts(
            RedisNode node,
            LockKeys keys,
            Settings settings,
            ContendedNames contended,
            Places places,
            ScriptedReleases releases,
            FactoryCards cards) {
        this.node = node;
        this.keys = keys;
        this.settings = settings;
        this.contended = contended;
        this.places = places;
        this.releases = releases;
        this.cards = cards;
    }

    @Override
    public boolean areTogether(List<String> names) {
        return names.size() <= MOST
                && names.stream()
                                .mapToInt(name -> node.slot(keys.lock(name)))
                                .distinct()
                                .count()
                        == 1;
    }

    @Override
    public Taking takeTogether(List<Claim> claims) {
        for (Claim claim : claims) {
            if (contended.contains(claim.name())) {
                return new Taking.OneByOne();
            }
        }
        List<?> answer;
        try {
            answer = (List<?>) reply(node.callOrUndo(
                    script(claims), () -> releases.script(claims), claims.get(0).timeout()));
        } catch (LockBackendException e) {
            // The server refused the script before it did anything, for example because it is in cluster mode and the
            // slots differ.
            return e.reason() == Reason.REFUSED ? new Taking.OneByOne() : new Taking.Failed(e);
        }
        long state = (Long) reply(answer.get(0));
        if (state != TAKEN) {
            return state == HELD_BY_ANOTHER ? new Taking.Refused() : new Taking.OneByOne();
        }
        List<Attempt.Granted> grants = new ArrayList<>(claims.size());
        for (int i = 0; i < claims.size(); i++) {
            long firstFence = (Long) reply(answer.get(i + 1));
            Attempt.Granted grant = new Attempt.Granted(
                    SetNxPxProtocol.validity(claims.get(i).lease()),
                    firstFence == 0 ? OptionalLong.empty() : OptionalLong.of(firstFence));
            cards.attempted(claims.get(i), grant);
            grants.add(grant);
        }
        return new Taking.Granted(grants);
    }

    @Override
    public List<Release> releaseTogether(List<Claim> claims) {
        claims.forEach(places::leave);
        return releases.together(claims);
    }

    private RedisCommand script(List<Claim> claims) {
        List<String> touched = new ArrayList<>(3 * claims.size());
        List<String> args = new ArrayList<>(1 + 3 * claims.size());
        args.add(SetNxPxProtocol.FENCE_LIFE_MILLIS);
        for (Claim claim : claims) {
            String name = claim.name();
            touched.addAll(List.of(keys.lock(name), keys.fence(name), keys.waiting(name)));
            args.add(LockWord.of(claim));
            args.add(SetNxPxProtocol.millis(claim.lease()));
            args.add(Integer.toString(settings.fences(claim)));
        }
        return RedisCommand.script(LockScripts.TOGETHER, touched, args);
    }

    private static Object reply(@Nullable Object reply) {
        return Objects.requireNonNull(reply, "a script of ours never answers nil");
    }
}
