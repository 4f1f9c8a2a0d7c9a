// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx.readwrite;

import dev.interlock.redis.LuaScript;
import dev.interlock.redis.waiting.WaitingScripts;

/**
 * The scripts of read/write locks, for servers whose channels are their own or those of a cluster's slots.
 *
 * @param read takes the read lock, or a place in its queue
 * @param write takes the write lock, or a place in its queue
 * @param release releases a side and begins the next phase
 */
record ReadWriteScripts(LuaScript read, LuaScript write, LuaScript release) {
    /** The format of the keys of all locks; its file is with the scripts of plain locks. */
    private static final String WORD = source("/dev/interlock/setnxpx/word.lua");

    /** Renews leases of either side. */
    static final LuaScript RENEW = withFence("sides-renew.lua");

    /** Tells whether anybody reads or writes. */
    static final LuaScript LOOK = withFence("sides-look.lua");

    private static final ReadWriteScripts PLAIN = withChannels(WaitingScripts.CHANNELS);
    private static final ReadWriteScripts SHARDED = withChannels(WaitingScripts.SHARDED_CHANNELS);

    private static String source(String resource) {
        return LuaScript.load(ReadWriteScripts.class, resource).source();
    }

    private static LuaScript withFence(String script) {
        return LuaScript.of(WORD + WaitingScripts.source(WaitingScripts.FENCE) + source(script));
    }

    private static ReadWriteScripts withChannels(String channels) {
        return new ReadWriteScripts(
                script(channels, "free-read.lua", "setnxpx-read.lua"),
                script(channels, "free-write.lua", "setnxpx-write.lua"),
                script(channels, "free-unlock.lua", "sides-release.lua"));
    }

    private static LuaScript script(String channels, String whereNobodyWaits, String script) {
        // What is asked most often comes first: the server pays for every function that a script defines, whether it is
        // called or not.
        return LuaScript.of(WaitingScripts.source(channels)
                + WORD
                + WaitingScripts.source(WaitingScripts.FENCE)
                + source("names.lua")
                + source(whereNobodyWaits)
                + WaitingScripts.source(WaitingScripts.QUEUE)
                + source("phases.lua")
                + source(script));
    }

    /** @param sharded whether channels belong to servers as keys do */
    static ReadWriteScripts of(boolean sharded) {
        return sharded ? SHARDED : PLAIN;
    }
}
