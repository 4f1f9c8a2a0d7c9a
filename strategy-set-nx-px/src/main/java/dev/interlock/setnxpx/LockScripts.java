// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import dev.interlock.redis.LuaScript;

/**
 * The scripts of this strategy that differ between servers of one kind and another, and those that do not.
 *
 * @param acquire takes a lock, or enters those who wait for it
 * @param release frees locks, or hands them over
 * @param publish the command that sends to a channel
 */
record LockScripts(LuaScript acquire, LuaScript release, String publish) {
    /** Takes a lock for which nobody waits. What most acquisitions need comes first, before functions are made. */
    static final LuaScript TAKE =
            LuaScript.load(LockScripts.class, "word.lua", "take.lua", "fence.lua", "draw-and-take.lua");

    /** Frees a lock for which nobody waits, and may look for a command that does the same. */
    static final LuaScript FREE = LuaScript.load(LockScripts.class, "free.lua");

    /** Extends leases. */
    static final LuaScript RENEW = LuaScript.load(LockScripts.class, "word.lua", "renew.lua");

    /** Tells who holds a lock and who waits for it. */
    static final LuaScript LOOK = LuaScript.load(LockScripts.class, "look.lua");

    private static final LockScripts PLAIN = new LockScripts(
            withChannels("channels.lua", "acquire.lua"), withChannels("channels.lua", "release.lua"), "PUBLISH");

    private static final LockScripts SHARDED = new LockScripts(
            withChannels("sharded-channels.lua", "acquire.lua"),
            withChannels("sharded-channels.lua", "release.lua"),
            "SPUBLISH");

    private static LuaScript withChannels(String channels, String script) {
        return LuaScript.load(LockScripts.class, channels, "word.lua", "fence.lua", "waiting.lua", script);
    }

    /** @param sharded whether channels belong to servers as keys do */
    static LockScripts of(boolean sharded) {
        return sharded ? SHARDED : PLAIN;
    }
}
