// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.LockConfig;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.redis.LockKeys;
import dev.interlock.redis.LockWire;
import dev.interlock.redis.LuaScript;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redlock.lead.LeadScripts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Builds the commands that are sent to the servers. Instances are immutable. */
final class Scripts {
    /**
     * A waiter in the queue asks again after this many wait ceilings at the latest; see {@link
     * LockConfig#waitCeiling()}.
     */
    private static final int MOST_CEILINGS = 5;

    private static final LuaScript CONFIRM = LuaScript.load(Scripts.class, "confirm.lua");
    private static final LuaScript RENEW = LuaScript.load(Scripts.class, "redlock-renew.lua");
    private static final LuaScript RESTORE = LuaScript.load(Scripts.class, "restore.lua");

    private final LockKeys keys;
    private final String birthRecord;
    private final LeadScripts lead;

    Scripts(LockWire wire, String keyPrefix, boolean fencing, Duration waitCeiling) {
        this.keys = wire.keys(keyPrefix);
        this.birthRecord = birthRecord(keyPrefix);
        // Waiters ask again before half of this time is over, which keeps the list.
        this.lead = new LeadScripts(
                keys,
                birthRecord,
                fencing,
                waitCeiling.multipliedBy(2 * MOST_CEILINGS).plusMinutes(1));
    }

    LockKeys keys() {
        return keys;
    }

    /** Returns the builder of the commands of the queue. */
    LeadScripts lead() {
        return lead;
    }

    /** The key of the birth record. No lock has this key: the keys of locks have braces. */
    static String birthRecord(String keyPrefix) {
        return keyPrefix + ":birth";
    }

    /**
     * @param least the least first fencing token that is large enough
     * @param predecessor the token of a holder that may be replaced, or an empty text
     */
    Request.Wording acquire(Claim claim, long least, String predecessor) {
        return forEachRecord(recordId -> lead.take(claim, recordId, least, predecessor));
    }

    /** If servers are trusted, makes the command only once, so that it is encoded only once. */
    private static Request.Wording forEachRecord(Request.Wording wording) {
        RedisCommand trusting = wording.command("");
        return recordId -> recordId.isEmpty() ? trusting : wording.command(recordId);
    }

    RedisCommand confirm(Claim claim, long firstFence) {
        return RedisCommand.script(
                CONFIRM,
                List.of(keys.lock(claim.name()), keys.fence(claim.name())),
                List.of(claim.token(), Long.toString(firstFence + claim.fences() - 1), LeadScripts.FENCE_LIFE));
    }

    Request.Wording renew(List<Claim> claims) {
        List<String> locks = new ArrayList<>(1 + 2 * claims.size());
        List<String> leases = new ArrayList<>(2 * claims.size());
        locks.add(birthRecord);
        for (Claim claim : claims) {
            locks.add(keys.lock(claim.name()));
            locks.add(lead.record(claim.name()));
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

    /**
     * Restores missing keys of locks that are held. The script is sent in full: nobody waits for the answer of a server
     * that does not know it, as after a restart, and then the request is not sent again.
     */
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
            return RedisCommand.script(RESTORE, locks, args).inFull();
        };
    }

    RedisCommand release(List<Claim> claims) {
        return lead.release(claims);
    }

    /** Asks who holds the lock. */
    RedisCommand holder(String name) {
        return RedisCommand.of("GET", keys.lock(name));
    }

    private static String millis(Duration duration) {
        return Long.toString(duration.toMillis());
    }
}
