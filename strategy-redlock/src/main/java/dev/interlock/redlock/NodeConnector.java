// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.ServerExamination;
import dev.interlock.redis.ServerInfo;
import dev.interlock.redlock.birth.Births;
import dev.interlock.redlock.birth.Eligibility;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Connects to one node, and finds out which process answers and whether it may vote. Blocks, and so runs on a thread of
 * its own.
 */
final class NodeConnector {
    private static final System.Logger LOG = System.getLogger(NodeConnector.class.getPackageName());

    private static final long FIRST_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long LONGEST_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** Each Sentinel that watches a server listens to this channel there. */
    private static final String SENTINEL_CHANNEL = "__sentinel__:hello";

    private final Environment env;
    private final int index;
    private final RedlockProtocol.Server server;
    private final Settings settings;
    private final @Nullable Births births;
    private final Duration timeout;
    private final Owner owner;
    private final ServerExamination examination;

    /** Callbacks about the connection. */
    interface Owner {
        /** The connection is established. */
        void connected(Session session);

        /** An attempt to connect has failed; another one follows. */
        void failed(LockBackendException cause);

        /** Returns whether no connection is wanted any more. */
        boolean isClosed();
    }

    NodeConnector(
            Environment env,
            int index,
            RedlockProtocol.Server server,
            Settings settings,
            @Nullable Births births,
            Duration timeout,
            Owner owner) {
        this.env = env;
        this.index = index;
        this.server = server;
        this.settings = settings;
        this.births = births;
        this.timeout = timeout;
        this.owner = owner;
        this.examination = new ServerExamination(server.name());
    }

    /**
     * Tries to connect until it succeeds.
     *
     * @param wait whether to wait before the first attempt, because the last connection failed at once
     */
    void connect(boolean wait) {
        long delay = FIRST_DELAY_NANOS;
        if (wait) {
            pause(LONGEST_DELAY_NANOS);
        }
        while (!owner.isClosed()) {
            try {
                owner.connected(open());
                return;
            } catch (LockBackendException e) {
                owner.failed(e);
            } catch (Throwable e) {
                // The thread must not die: nothing restarts it.
                LOG.log(System.Logger.Level.WARNING, "connecting to " + server.name() + " failed unexpectedly", e);
                owner.failed(new LockBackendException(Reason.UNREACHABLE, "cannot connect to " + server.name(), e));
            }
            pause(delay);
            delay = Math.min(2 * delay, LONGEST_DELAY_NANOS);
        }
    }

    private void pause(long delay) {
        long until = env.nanoTime() + delay / 2 + env.nextLong(delay);
        for (long left = delay; left > 0 && !owner.isClosed(); left = until - env.nanoTime()) {
            env.park(this, left);
        }
    }

    private Session open() {
        RedisNode node = server.node();
        RedisLink link = node.openLink(timeout);
        try {
            String runId = introduce(link);
            Eligibility eligibility = births == null ? null : enrol(births, link, runId);
            return new Session(env, server.name(), link, runId, eligibility, settings.shedNanos(server.address()));
        } catch (Throwable e) {
            link.close();
            throw e;
        }
    }

    private Eligibility enrol(Births records, RedisLink link, String runId) {
        Eligibility eligibility =
                records.begin(index, server.name(), reply(link, records.enrol(index, server.address(), runId, null)));
        if (records.isBehind(index, eligibility)) {
            // The node has told this client which nodes vote, or must be told.
            records.learn(
                    eligibility,
                    index,
                    server.name(),
                    reply(link, records.enrol(index, server.address(), runId, eligibility)));
        }
        return eligibility;
    }

    /** Finds out which process answers, and refuses one that cannot keep locks. */
    private String introduce(RedisLink link) {
        Instant asked = now();
        String said;
        try {
            said = String.valueOf(reply(link, ServerInfo.COMMAND));
        } catch (LockBackendException e) {
            if (e.reason() == Reason.REFUSED && births == null) {
                return "";
            }
            throw e.reason() == Reason.REFUSED
                    ? e
                    : new LockBackendException(
                            Reason.UNREACHABLE, server.name() + " did not answer INFO: " + e.getMessage(), e);
        }
        ServerInfo info = ServerInfo.read(said);
        examination.examine(info, asked, now());
        if (info.mode().filter(mode -> mode.equals("cluster")).isPresent()) {
            throw new LockBackendException(
                    Reason.REFUSED,
                    server.name()
                            + " is a node of a cluster, where a replica that lacks locks may take over, and where scripts"
                            + " cannot reach the birth record: name servers that are on their own");
        }
        if (!settings.allowFailover()) {
            requireNoSentinel(link);
        }
        return info.runId()
                .orElseThrow(() -> new LockBackendException(
                        Reason.REFUSED,
                        server.name()
                                + " shows no run_id in its reply to INFO, as Redis does, so that a restart cannot be"
                                + " told: use Redis, or a compatible server"));
    }

    /** Rejects a node that can fail over, since a majority relies on independent nodes. */
    private void requireNoSentinel(RedisLink link) {
        Object listeners;
        try {
            listeners = reply(link, RedisCommand.of("PUBSUB", "NUMSUB", SENTINEL_CHANNEL));
        } catch (LockBackendException e) {
            if (e.reason() == Reason.REFUSED) {
                // The access control list does not permit this command.
                return;
            }
            throw e;
        }
        if (listeners instanceof List<?> counts
                && counts.size() > 1
                && !Long.valueOf(0).equals(counts.get(1))) {
            throw new LockBackendException(
                    Reason.REFUSED,
                    server.name()
                            + " is watched by Sentinel, which may promote a replica that lacks locks: name servers"
                            + " without replicas, or set the option failover=allow");
        }
    }

    private Instant now() {
        return Instant.ofEpochMilli(env.currentTimeMillis());
    }

    private Object reply(RedisLink link, RedisCommand command) {
        Thread waiter = Thread.currentThread();
        AtomicReference<RedisLink.@Nullable Reply> reply = new AtomicReference<>();
        long until = env.nanoTime() + timeout.toNanos();
        link.send(command, it -> {
            reply.set(it);
            env.unpark(waiter);
        });
        link.readInBackground();
        for (long left = timeout.toNanos(); left > 0 && reply.get() == null; left = until - env.nanoTime()) {
            env.park(link, left);
        }
        RedisLink.Reply came = reply.get();
        if (came instanceof RedisLink.Reply.Value value && value.value() != null) {
            return value.value();
        }
        throw came instanceof RedisLink.Reply.Failed failed
                ? failed.cause()
                : new LockBackendException(
                        Reason.UNREACHABLE, server.name() + " did not answer " + command + " within " + timeout);
    }
}
