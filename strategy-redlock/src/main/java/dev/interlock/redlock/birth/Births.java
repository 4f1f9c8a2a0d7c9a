// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.birth;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.LuaScript;
import dev.interlock.redis.RedisCommand;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Reads and writes the birth records of the nodes of one cluster. Safe to use from any thread. */
public final class Births {
    private static final LuaScript ENROL = LuaScript.load(Births.class, "enrol.lua");

    private final Environment env;
    private final String key;
    private final String cluster;
    private final int size;
    private final Duration maxLease;
    private final ToLongFunction<Duration> driftNanos;
    private final Roster roster;

    /**
     * Creates the records of a cluster.
     *
     * @param env time and chance
     * @param key the name of the record on each node
     * @param cluster the name of the cluster
     * @param size how many nodes it has
     * @param maxLease the longest lease of this client
     * @param driftNanos by how much clocks can differ over a time
     */
    public Births(
            Environment env,
            String key,
            String cluster,
            int size,
            Duration maxLease,
            ToLongFunction<Duration> driftNanos) {
        this.env = env;
        this.key = key;
        this.cluster = cluster;
        this.size = size;
        this.maxLease = maxLease;
        this.driftNanos = driftNanos;
        this.roster = new Roster(maxLease);
    }

    /**
     * Makes the command by which a node checks its record and tells it, after it was told what this client knows.
     *
     * @param index which node it is
     * @param runId the process, as it has introduced itself on the connection over which this is sent
     * @param known what is known of the process; {@code null} at the beginning of a connection
     * @return the command
     */
    public RedisCommand enrol(int index, String runId, @Nullable Eligibility known) {
        List<String> args = new ArrayList<>(List.of(
                runId,
                cluster,
                Integer.toString(size),
                Integer.toString(index),
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
     * @param node what the node is called in messages
     * @param reply the reply to {@link #enrol}
     * @return whether the process may vote
     * @throws LockBackendException {@code REFUSED} if the reply is no birth record
     */
    public Eligibility begin(int index, String node, Object reply) {
        BirthRecord record = read(node, reply);
        roster.note(index, record);
        return new Eligibility(index, roster, driftNanos, record, env.nanoTime());
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
        roster.note(index, record);
        eligibility.learn(record, env.nanoTime());
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
     * Notes of each process which of the other nodes know it.
     *
     * @param connected the processes that are connected, by the index of the node; {@code null} where none is
     * @return the indexes of those nodes that must be told of processes in the places of others, or of who knows of their own
     */
    public List<Integer> spread(List<@Nullable Eligibility> connected) {
        List<Integer> untold = new ArrayList<>();
        long now = env.nanoTime();
        for (int i = 0; i < connected.size(); i++) {
            Eligibility node = connected.get(i);
            if (node == null) {
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
            if (node != null && (node.hasUnrecordedPeers() || !roster.isKnownTo(i, node.record()))) {
                untold.add(i);
            }
        }
        return untold;
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
