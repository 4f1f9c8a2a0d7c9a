// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.engine.protocol.Claim;
import dev.interlock.redis.LockKeys;
import dev.interlock.redis.LuaScript;
import dev.interlock.redis.RedisCommand;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What servers are sent. Instances are immutable. */
final class Scripts {
    private static final LuaScript ACQUIRE = LuaScript.load(Scripts.class, "acquire.lua");
    private static final LuaScript CONFIRM = LuaScript.load(Scripts.class, "confirm.lua");
    private static final LuaScript RENEW = LuaScript.load(Scripts.class, "renew.lua");
    private static final LuaScript RELEASE = LuaScript.load(Scripts.class, "release.lua");

    /**
     * How long the last fencing token is remembered. It only matters if the clients' clocks differ by more: otherwise the time, from
     * which tokens are drawn, has moved on.
     */
    private static final String FENCE_LIFE = millis(Duration.ofDays(1));

    private final LockKeys keys;

    Scripts(String keyPrefix) {
        this.keys = new LockKeys(keyPrefix);
    }

    RedisCommand acquire(Claim claim) {
        return RedisCommand.script(
                ACQUIRE, List.of(keys.lock(claim.name())), List.of(claim.token(), millis(claim.lease())));
    }

    /** @param least the least first fencing token that will do */
    RedisCommand acquireFenced(Claim claim, long least) {
        return RedisCommand.script(
                ACQUIRE,
                List.of(keys.lock(claim.name()), keys.fence(claim.name())),
                List.of(
                        claim.token(),
                        millis(claim.lease()),
                        Integer.toString(claim.fences()),
                        Long.toString(least),
                        FENCE_LIFE));
    }

    RedisCommand confirm(Claim claim, long firstFence) {
        return RedisCommand.script(
                CONFIRM,
                List.of(keys.lock(claim.name()), keys.fence(claim.name())),
                List.of(claim.token(), Long.toString(firstFence + claim.fences() - 1), FENCE_LIFE));
    }

    RedisCommand renew(List<Claim> claims) {
        List<String> args = new ArrayList<>(2 * claims.size());
        for (Claim claim : claims) {
            args.add(claim.token());
            args.add(millis(claim.lease()));
        }
        return RedisCommand.script(
                RENEW, claims.stream().map(claim -> keys.lock(claim.name())).toList(), args);
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
