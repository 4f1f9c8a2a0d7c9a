// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.engine.protocol.Claim;
import dev.interlock.redis.LockKeys;
import dev.interlock.redis.LuaScript;
import dev.interlock.redis.RedisCommand;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Builds the commands that are sent to the servers. Instances are immutable. */
final class Scripts {
    private static final LuaScript ACQUIRE = LuaScript.load(Scripts.class, "acquire.lua");
    private static final LuaScript CONFIRM = LuaScript.load(Scripts.class, "confirm.lua");
    private static final LuaScript RENEW = LuaScript.load(Scripts.class, "renew.lua");
    private static final LuaScript RESTORE = LuaScript.load(Scripts.class, "restore.lua");
    private static final LuaScript RELEASE = LuaScript.load(Scripts.class, "release.lua");

    /**
     * How long the last fencing token is remembered. It only matters if the clients' clocks differ by more: otherwise the time, from
     * which tokens are drawn, has moved on.
     */
    private static final String FENCE_LIFE = millis(Duration.ofDays(1));

    private final LockKeys keys;
    private final String birthRecord;

    Scripts(String keyPrefix) {
        this.keys = new LockKeys(keyPrefix);
        this.birthRecord = keyPrefix + ":birth";
    }

    /** The key of the birth record. No lock has a key of this name: theirs have braces. */
    String birthRecord() {
        return birthRecord;
    }

    Request.Wording acquire(Claim claim) {
        return forEachRecord(recordId -> RedisCommand.script(
                ACQUIRE,
                List.of(keys.lock(claim.name()), birthRecord),
                List.of(claim.token(), millis(claim.lease()), recordId)));
    }

    /** Makes the command once where servers are trusted, so that it is encoded once for all. */
    private static Request.Wording forEachRecord(Request.Wording wording) {
        RedisCommand trusting = wording.command("");
        return recordId -> recordId.isEmpty() ? trusting : wording.command(recordId);
    }

    /** @param least the least first fencing token that will do */
    Request.Wording acquireFenced(Claim claim, long least) {
        return forEachRecord(recordId -> RedisCommand.script(
                ACQUIRE,
                List.of(keys.lock(claim.name()), birthRecord, keys.fence(claim.name())),
                List.of(
                        claim.token(),
                        millis(claim.lease()),
                        recordId,
                        Integer.toString(claim.fences()),
                        Long.toString(least),
                        FENCE_LIFE)));
    }

    RedisCommand confirm(Claim claim, long firstFence) {
        return RedisCommand.script(
                CONFIRM,
                List.of(keys.lock(claim.name()), keys.fence(claim.name())),
                List.of(claim.token(), Long.toString(firstFence + claim.fences() - 1), FENCE_LIFE));
    }

    Request.Wording renew(List<Claim> claims) {
        List<String> locks = new ArrayList<>(1 + claims.size());
        List<String> leases = new ArrayList<>(2 * claims.size());
        locks.add(birthRecord);
        for (Claim claim : claims) {
            locks.add(keys.lock(claim.name()));
            leases.add(claim.token());
            leases.add(millis(claim.lease()));
        }
        return forEachRecord(recordId -> {
            List<String> args = new ArrayList<>(1 + leases.size());
            args.add(recordId);
            args.addAll(leases);
            return RedisCommand.script(RENEW, locks, args);
        });
    }

    /** Puts the keys of locks that are held where there are none. */
    Request.Wording restore(List<Claim> claims) {
        List<String> locks = new ArrayList<>(1 + claims.size());
        locks.add(birthRecord);
        claims.forEach(claim -> locks.add(keys.lock(claim.name())));
        return recordId -> {
            List<String> args = new ArrayList<>(List.of(recordId));
            for (Claim claim : claims) {
                args.add(claim.token());
                args.add(millis(claim.lease()));
            }
            return RedisCommand.script(RESTORE, locks, args);
        };
    }

    RedisCommand release(List<Claim> claims) {
        List<String> args = new ArrayList<>(2 * claims.size());
        for (Claim claim : claims) {
            args.add(claim.token());
            args.add(channel(claim.name()));
        }
        return RedisCommand.script(
                RELEASE, claims.stream().map(claim -> keys.lock(claim.name())).toList(), args);
    }

    /** Asks who holds the lock. */
    RedisCommand holder(String name) {
        return RedisCommand.of("GET", keys.lock(name));
    }

    /** A release that tells no waiter, for what nobody can have waited for. */
    RedisCommand releaseQuietly(Claim claim) {
        return RedisCommand.script(RELEASE, List.of(keys.lock(claim.name())), List.of(claim.token(), ""));
    }

    String channel(String name) {
        return keys.channel(name);
    }

    private static String millis(Duration duration) {
        return Long.toString(duration.toMillis());
    }
}
