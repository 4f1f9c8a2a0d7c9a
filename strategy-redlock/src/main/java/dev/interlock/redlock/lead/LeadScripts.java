// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.lead;

import dev.interlock.engine.protocol.Claim;
import dev.interlock.redis.LockKeys;
import dev.interlock.redis.LuaScript;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.waiting.WaitingScripts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Builds the commands of the queue. Instances are immutable. */
public final class LeadScripts {
    /** Takes a lock on one node. */
    public static final LuaScript TAKE = LuaScript.of(source("vote.lua", "redlock-take.lua")
            + WaitingScripts.source(WaitingScripts.CHANNELS, WaitingScripts.FENCE, WaitingScripts.QUEUE)
            + source("grants.lua", "take-behind-queue.lua"));

    /** Releases locks, or grants them to waiters. */
    public static final LuaScript RELEASE = LuaScript.of(
            source("free-release.lua") + queueing("redlock-release.lua").source());

    /** Enters a claim in the queue, or returns its grant. */
    public static final LuaScript ASK =
            LuaScript.of(source("vote.lua") + queueing("ask.lua").source());

    /** Passes a root on. */
    public static final LuaScript PASS = queueing("pass.lua");

    /** Takes a claim out of the queue. */
    public static final LuaScript LEAVE = queueing("redlock-leave.lua");

    /** Takes back what was granted to a claim, and enters the claim again. */
    public static final LuaScript STAND_BACK = queueing("stand-back.lua");

    /** How often a root is passed on: it has at most 64 owners, and then all nodes are asked again. */
    public static final int MOST_HOPS = 63;

    private static final int MOST_FENCES = 1024;

    /**
     * How long the last fencing token is remembered. It only matters if the clients' clocks differ by more: otherwise
     * the time, from which tokens are drawn, has moved on.
     */
    public static final String FENCE_LIFE = millis(Duration.ofDays(1));

    private final LockKeys keys;
    private final String birthRecord;
    private final boolean fencing;
    private final String listLife;

    /**
     * Creates the commands for locks under a prefix.
     *
     * @param keys the names of keys
     * @param birthRecord the key of the birth record
     * @param fencing whether to draw fencing tokens
     * @param listLife how long to keep the list of waiters
     */
    public LeadScripts(LockKeys keys, String birthRecord, boolean fencing, Duration listLife) {
        this.keys = keys;
        this.birthRecord = birthRecord;
        this.fencing = fencing;
        this.listLife = millis(listLife);
    }

    private static LuaScript queueing(String script) {
        return LuaScript.of(WaitingScripts.source(WaitingScripts.CHANNELS, WaitingScripts.FENCE, WaitingScripts.QUEUE)
                + source("grants.lua", script));
    }

    private static String source(String... resources) {
        return LuaScript.load(LeadScripts.class, resources).source();
    }

    /**
     * Returns how many fencing tokens a root reserves for all its owners.
     *
     * @param claim the claim of one of them
     * @return the number that {@code grants.lua} reserves
     */
    public static int block(Claim claim) {
        return Math.max(claim.fences(), Math.min((MOST_HOPS + 1) * claim.fences(), MOST_FENCES));
    }

    /**
     * Asks one node for a lock.
     *
     * @param claim the claim, whose fencing tokens are reserved
     * @param recordId the state of the birth record that the client knows, or an empty text
     * @param least the least first fencing token that is large enough
     * @param predecessor the token of a holder that may be replaced, or an empty text
     * @return the command
     */
    public RedisCommand take(Claim claim, String recordId, long least, String predecessor) {
        return RedisCommand.script(
                TAKE,
                voting(claim.name()),
                List.of(
                        claim.token(),
                        millis(claim.lease()),
                        recordId,
                        Integer.toString(claim.fences()),
                        Long.toString(least),
                        FENCE_LIFE,
                        predecessor));
    }

    /**
     * Asks the lead about a claim, and enters the claim in the queue.
     *
     * @param claim the claim, under the token with which it waits, and for the lease of a grant
     * @param recordId the state of the birth record that the client knows, or an empty text
     * @param channel the channel of this client
     * @param since when the claim took its place first, by the lead's clock in µs, or zero
     * @param whole the lease if the lock is free, so that no message is needed
     * @return the command
     */
    public RedisCommand ask(Claim claim, String recordId, String channel, long since, Duration whole) {
        return RedisCommand.script(
                ASK,
                voting(claim.name()),
                List.of(
                        claim.token(),
                        millis(claim.lease()),
                        recordId,
                        fences(claim),
                        FENCE_LIFE,
                        Long.toString(claim.number()),
                        channel,
                        listLife,
                        Long.toString(since),
                        millis(whole)));
    }

    /**
     * Passes a root on.
     *
     * @param name the name of the lock
     * @param root what its owner knows
     * @param leastMicros the least that the clock of the lead shows, unless it was set back
     * @return the command
     */
    public RedisCommand pass(String name, Root root, long leastMicros) {
        return RedisCommand.script(
                PASS,
                List.of(keys.lock(name), keys.waiting(name), record(name)),
                List.of(
                        root.token(),
                        Integer.toString(root.hop()),
                        Long.toString(root.deadlineMicros()),
                        Long.toString(root.nextFence()),
                        Long.toString(leastMicros)));
    }

    /**
     * Takes a claim out of the queue.
     *
     * @param claim the claim, as it was entered
     * @param channel the channel that was given
     * @param leastMicros the least that the clock of the lead shows, unless it was set back
     * @return the command
     */
    public RedisCommand leave(Claim claim, String channel, long leastMicros) {
        return RedisCommand.script(
                LEAVE,
                granting(claim.name()),
                List.of(
                        claim.token(),
                        place(claim, channel),
                        FENCE_LIFE,
                        Integer.toString(MOST_HOPS),
                        Long.toString(leastMicros)));
    }

    /**
     * Takes back what the lead granted to a claim, and enters the claim in the queue again.
     *
     * @param granted the token that was granted the lock
     * @param next the claim, under the token with which it waits from now on
     * @param channel the channel of this client
     * @param since when the claim took its place first, by the lead's clock in µs, or zero
     * @return the command
     */
    public RedisCommand standBack(String granted, Claim next, String channel, long since) {
        return RedisCommand.script(
                STAND_BACK,
                granting(next.name()),
                List.of(granted, place(next, channel), channel, Long.toString(since), listLife, FENCE_LIFE));
    }

    private List<String> granting(String name) {
        List<String> named = new ArrayList<>(List.of(keys.lock(name), keys.waiting(name), record(name)));
        if (fencing) {
            named.add(keys.fence(name));
        }
        return named;
    }

    /** The entry of a claim in the queue, as {@code ask.lua} makes it. */
    private String place(Claim claim, String channel) {
        return claim.number() + " " + claim.token() + " " + millis(claim.lease()) + " " + fences(claim) + " " + channel;
    }

    /**
     * Releases locks.
     *
     * @param claims the claims to release
     * @return the command
     */
    public RedisCommand release(List<Claim> claims) {
        List<String> named = new ArrayList<>(4 * claims.size());
        List<String> args = new ArrayList<>(1 + claims.size());
        args.add(FENCE_LIFE);
        for (Claim claim : claims) {
            named.addAll(locked(claim.name()));
            args.add(claim.token());
        }
        return RedisCommand.script(RELEASE, named, args);
    }

    /**
     * Releases a lock on behalf of its holder.
     *
     * @param name the name of the lock
     * @param root the token that the nodes have
     * @return the command
     */
    public RedisCommand release(String name, String root) {
        return RedisCommand.script(RELEASE, locked(name), List.of(FENCE_LIFE, root));
    }

    private List<String> locked(String name) {
        return List.of(keys.lock(name), keys.fence(name), keys.waiting(name), record(name));
    }

    /**
     * Returns the key of the record that the lead keeps beside the lock.
     *
     * @param name the name of the lock
     * @return the key
     */
    public String record(String name) {
        return keys.lead(name);
    }

    private List<String> voting(String name) {
        List<String> named = List.of(keys.lock(name), birthRecord, keys.waiting(name), record(name));
        if (!fencing) {
            return named;
        }
        List<String> fenced = new ArrayList<>(named);
        fenced.add(keys.fence(name));
        return fenced;
    }

    private String fences(Claim claim) {
        return fencing ? Integer.toString(claim.fences()) : "0";
    }

    private static String millis(Duration duration) {
        return Long.toString(duration.toMillis());
    }
}
