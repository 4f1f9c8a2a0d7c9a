// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import dev.interlock.redis.LuaScript;

/**
 * The scripts of this strategy, for servers of one kind.
 *
 * @param acquire takes a lock, or enters those who wait for it
 * @param release frees locks, or hands them over
 * @param publish the command that sends to a channel
 */
record LockScripts(LuaScript acquire, LuaScript release, String publish) {
    /** Extends leases; uses no channels. */
    static final LuaScript RENEW = LuaScript.load(LockScripts.class, "renew.lua");

    private static final LockScripts PLAIN = new LockScripts(
            LuaScript.load(LockScripts.class, "channels.lua", "waiting.lua", "acquire.lua"),
            LuaScript.load(LockScripts.class, "channels.lua", "waiting.lua", "release.lua"),
            "PUBLISH");

    private static final LockScripts SHARDED = new LockScripts(
            LuaScript.load(LockScripts.class, "sharded-channels.lua", "waiting.lua", "acquire.lua"),
            LuaScript.load(LockScripts.class, "sharded-channels.lua", "waiting.lua", "release.lua"),
            "SPUBLISH");

    /** @param sharded whether channels belong to servers as keys do */
    static LockScripts of(boolean sharded) {
        return sharded ? SHARDED : PLAIN;
    }
}
