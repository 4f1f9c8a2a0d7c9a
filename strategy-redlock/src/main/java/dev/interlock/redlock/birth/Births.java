// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.birth;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.LuaScript;
import dev.interlock.redis.RedisCommand;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Reads and writes the birth records of the nodes of one cluster. Safe to use from any thread. */
public final class Births {
    private static final LuaScript ENROL = LuaScript.load(Births.class, "enrol.lua");

    private final Environment env;
    private final String key;
    private final String cluster;
    private final Electorate electorate;
    private final Duration maxLease;
    private final ToLongFunction<Duration> driftNanos;
    private final Roster roster;

    /**
     * Creates the records of a cluster.
     *
     * @param env time and chance
     * @param key the name of the record on each node
     * @param cluster the name of the cluster
     * @param electorate which nodes it has
     * @param maxLease the longest lease of this client
     * @param driftNanos the largest difference between clocks after a given time
     */
    public Births(
            Environment env,
            String key,
            String cluster,
            Electorate electorate,
            Duration maxLease,
            ToLongFunction<Duration> driftNanos) {
        this.env = env;
        this.key = key;
        this.cluster = cluster;
        this.electorate = electorate;
        this.maxLease = maxLease;
        this.driftNanos = driftNanos;
        this.roster = new Roster(maxLease);
    }

    /**
     * Returns the command that tells a node what this client knows, and makes the node check its record and return it.
     *
     * @param index which node it is
     * @param address host and port to which the connection leads
     * @param runId the run_id of the process on the connection over which this is sent
     * @param known what is known of the process; {@code null} at the beginning of a connection
     * @return the command
     */
    public RedisCommand enrol(int index, String address, String runId, @Nullable Eligibility known) {
        List<String> args = new ArrayList<>(List.of(
                runId,
                cluster,
                electorate.configuration().toString(),
                Integer.toString(index),
                electorate.knowledgeOf(index, address),
                Long.toString(maxLease.toMillis()),
                env.newToken(),
                Long.toString(roster.nextEpoch(env.currentTimeMillis())),
                known == null ? "" : known.record().birth(),
                known == null ? "0" : Long.toString(known.age(env.nanoTime()).toMillis()),
                known == null ? "" : known.toldPeers()));
        args.addAll(roster.arguments());
        return RedisCommand.script(ENROL, List.of(key), args);
    }

    /**
     * Reads the first reply on a connection.
     *
     * @param index which node it is from
     * @param node the name of the node in messages
     * @param reply the reply to {@link #enrol}
     * @return whether the process may vote
     * @throws LockBackendException {@code REFUSED} if the reply is no birth record
     */
    public Eligibility begin(int index, String node, Object reply) {
        BirthRecord record = read(node, reply);
        note(index, record);
        return new Eligibility(index, electorate, roster, driftNanos, record, env.nanoTime());
    }

    /**
     * Reads a later reply on a connection.
     *
     * @param eligibility what is known of the process
     * @param index which node it is from
     * @param node what the node is called in messages
     * @param reply the reply to {@link #enrol}
     * @throws LockBackendException {@code REFUSED} if the reply is no birth record
     */
    public void learn(Eligibility eligibility, int index, String node, Object reply) {
        BirthRecord record = read(node, reply);
        note(index, record);
        eligibility.learn(record, env.nanoTime());
    }

    /**
     * Called before the record is visible, so that whoever counts votes knows the configuration of each node that
     * voted.
     */
    private void note(int index, BirthRecord record) {
        electorate.note(index, record);
        BirthRecord.Listing listing = record.listing();
        if (listing.founded() || listing.index() == index) {
            // The client may have taken the process for another node.
            roster.note(listing.index(), record);
        }
    }

    private BirthRecord read(String node, Object reply) {
        try {
            return BirthRecord.read(reply);
        } catch (RuntimeException e) {
            throw new LockBackendException(
                    Reason.REFUSED,
                    node + " has no birth record that can be read in the key \"" + key + "\" (" + e.getMessage()
                            + "): delete that key, and the server votes when max-lease has passed",
                    e);
        }
    }

    /**
     * Updates, for each process, which of the other nodes know it.
     *
     * @param connected the processes that are connected, by the index of the node; {@code null} where none is
     * @return the indexes of the nodes that must be told which processes replaced others, or which nodes know their own
     *     process
     */
    public List<Integer> spread(List<@Nullable Eligibility> connected) {
        electorate.found(records(connected));
        List<Integer> untold = new ArrayList<>();
        long now = env.nanoTime();
        for (int i = 0; i < connected.size(); i++) {
            Eligibility node = connected.get(i);
            if (node == null || !node.record().listing().enrolled()) {
                continue;
            }
            BirthRecord record = node.record();
            for (int j = 0; j < connected.size(); j++) {
                Eligibility peer = connected.get(j);
                if (j != i && peer != null && roster.isKnownTo(record, j)) {
                    peer.noteToldPeer(i, now);
                }
            }
        }
        for (int i = 0; i < connected.size(); i++) {
            Eligibility node = connected.get(i);
            if (node != null && isUntold(i, node)) {
                untold.add(i);
            }
        }
        return untold;
    }

    /**
     * Returns whether a node must be enrolled again, because it has told this client something new, or does not know
     * all that this client knows.
     *
     * @param index which node it is
     * @param eligibility what is known of the process
     * @return whether another {@link #enrol} is due
     */
    public boolean isBehind(int index, Eligibility eligibility) {
        return electorate.isBehind(index, eligibility.record());
    }

    private boolean isUntold(int index, Eligibility node) {
        BirthRecord record = node.record();
        return record.listing().enrolled()
                ? node.hasUnrecordedPeers() || !roster.isKnownTo(index, record) || electorate.isBehind(index, record)
                : electorate.isBehind(index, record);
    }

    private static Map<Integer, BirthRecord> records(List<@Nullable Eligibility> connected) {
        Map<Integer, BirthRecord> records = new HashMap<>();
        for (int i = 0; i < connected.size(); i++) {
            Eligibility node = connected.get(i);
            if (node != null) {
                records.put(i, node.record());
            }
        }
        return records;
    }

    /**
     * Returns the address at which to reach a node.
     *
     * @param index the index of the node
     * @param connected what is known of the process that is connected; {@code null} if none is
     * @return the address of the node if this client has none for it, or the process is another one; otherwise
     *     {@code null}
     */
    public @Nullable String addressFor(int index, @Nullable Eligibility connected) {
        return electorate.betterAddress(index, connected == null ? null : connected.record());
    }

    /**
     * Returns which nodes vote.
     *
     * @return the configuration of this client
     */
    public Electorate electorate() {
        return electorate;
    }

    /**
     * Returns the longest lease of any client that a node knows.
     *
     * @return the longest time that a lease granted now may last
     */
    public Duration longestLease() {
        return roster.longestLease();
    }

    /**
     * Returns the key of the records.
     *
     * @return the key
     */
    public String key() {
        return key;
    }
}
