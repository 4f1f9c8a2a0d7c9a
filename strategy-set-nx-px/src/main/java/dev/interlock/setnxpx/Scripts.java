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
record Scripts(LuaScript acquire, LuaScript release, String publish) {
    /** Extends leases; uses no channels. */
    static final LuaScript RENEW = LuaScript.load(Scripts.class, "renew.lua");

    private static final Scripts PLAIN = new Scripts(
            LuaScript.load(Scripts.class, "channels.lua", "waiting.lua", "acquire.lua"),
            LuaScript.load(Scripts.class, "channels.lua", "waiting.lua", "release.lua"),
            "PUBLISH");

    private static final Scripts SHARDED = new Scripts(
            LuaScript.load(Scripts.class, "sharded-channels.lua", "waiting.lua", "acquire.lua"),
            LuaScript.load(Scripts.class, "sharded-channels.lua", "waiting.lua", "release.lua"),
            "SPUBLISH");

    /** @param sharded whether channels belong to servers as keys do */
    static Scripts of(boolean sharded) {
        return sharded ? SHARDED : PLAIN;
    }
}
