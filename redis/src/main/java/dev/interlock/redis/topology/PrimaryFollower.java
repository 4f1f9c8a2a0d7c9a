// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.topology;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Watch;
import dev.interlock.redis.Acknowledgement;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.client.Deadline;
import dev.interlock.redis.client.ServerErrorException;
import dev.interlock.redis.client.Waiting;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A node that follows the primary among several servers.
 *
 * <p>A command that was certainly not carried out, because the server has become a replica or is gone, is sent to the
 * new primary within its time-out. A command whose outcome is unknown is never sent again.
 */
public final class PrimaryFollower implements RedisNode {
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(25);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(400);

    private final Environment env;
    private final String name;
    private final AutoCloseable connector;
    private final BackgroundTasks background;
    private final PrimarySearch search;
    private final MovingListeners listeners;
    private final AtomicBoolean found = new AtomicBoolean();
    private volatile Runnable onTakeover = () -> {};

    /**
     * Creates a follower, which does not connect yet.
     *
     * @param name what the primary is called in messages
     * @param timeout how long a search for the primary may take that no caller waits for
     * @param source knows the primary; closed with this node
     * @param connector what the nodes share; closed after them
     */
    public PrimaryFollower(
            Environment env, String name, Duration timeout, PrimarySource source, AutoCloseable connector) {
        this.env = env;
        this.name = name;
        this.connector = connector;
        this.background = new BackgroundTasks(env);
        this.search = new PrimarySearch(env, name, timeout, source, background, this::follow);
        this.listeners = new MovingListeners(search::current);
    }

    private void follow() {
        try {
            listeners.moveAll();
        } finally {
            if (found.getAndSet(true)) {
                onTakeover.run();
            }
        }
    }

    @Override
    public void watchTakeovers(Runnable takeover) {
        onTakeover = takeover;
    }

    @Override
    public @Nullable Object call(RedisCommand command, Duration timeout) {
        return run((node, left) -> node.call(command, left), timeout);
    }

    @Override
    public @Nullable Object callUrgently(RedisCommand command, Duration timeout) {
        return run((node, left) -> node.callUrgently(command, left), timeout);
    }

    @Override
    public @Nullable Object callOrUndo(RedisCommand command, Supplier<RedisCommand> undo, Duration timeout) {
        return run((node, left) -> node.callOrUndo(command, undo, left), timeout);
    }

    @Override
    public List<RedisLink.Reply> callInOrder(
            List<RedisCommand> commands, Supplier<RedisCommand> undo, Duration timeout) {
        return run((node, left) -> node.callInOrder(commands, undo, left), timeout);
    }

    @Override
    public List<RedisLink.Reply> callEach(List<RedisCommand> commands, Duration timeout) {
        try {
            return run((node, left) -> rejectFailure(node.callEach(commands, left)), timeout);
        } catch (LockBackendException e) {
            return Collections.nCopies(commands.size(), new RedisLink.Reply.Failed(e));
        }
    }

    /** Throws the first failure that another server may not have. The commands may be carried out twice. */
    private static List<RedisLink.Reply> rejectFailure(List<RedisLink.Reply> replies) {
        for (RedisLink.Reply reply : replies) {
            if (reply instanceof RedisLink.Reply.Failed failed
                    && (failed.cause().reason() == Reason.OUTCOME_UNKNOWN || isWorthAnotherTry(failed.cause()))) {
                throw failed.cause();
            }
        }
        return replies;
    }

    @Override
    public int slot(String key) {
        Primary primary = search.current();
        return primary == null ? 0 : primary.node().slot(key);
    }

    @Override
    public long generation(String key) {
        Primary primary = search.current();
        return primary == null ? -1 : primary.node().generation(key);
    }

    @Override
    public Acknowledged callAcknowledged(RedisCommand command, Acknowledgement wanted, Duration timeout) {
        return run((node, left) -> node.callAcknowledged(command, wanted, left), timeout);
    }

    @Override
    public @Nullable String transactIfEqual(
            String key, String expected, List<RedisCommand> commands, Duration timeout) {
        return run((node, left) -> node.transactIfEqual(key, expected, commands, left), timeout);
    }

    @Override
    public List<@Nullable String> transactWhereEqual(
            List<String> keys, List<String> expected, List<RedisCommand> commands, Duration timeout) {
        return run((node, left) -> node.transactWhereEqual(keys, expected, commands, left), timeout);
    }

    @Override
    public RedisLink openLink(Duration timeout) {
        return run(RedisNode::openLink, timeout);
    }

    private <T extends @Nullable Object> T run(BiFunction<RedisNode, Duration, T> call, Duration timeout) {
        Deadline deadline = new Deadline(env, timeout);
        Primary doubted = null;
        LockBackendException last = null;
        for (long pause = 0; ; pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS)) {
            try {
                Primary primary = search.find(doubted, deadline);
                if (primary == doubted) {
                    // The server is the primary but was not ready; it may be ready a moment later.
                    pause = Math.max(FIRST_PAUSE_NANOS, pause);
                    pause(pause, deadline);
                }
                if (primary.enter()) {
                    doubted = primary;
                    try {
                        return call.apply(primary.node(), left(deadline));
                    } finally {
                        primary.exit();
                    }
                }
            } catch (LockBackendException e) {
                if (e.reason() == Reason.OUTCOME_UNKNOWN) {
                    // The undo should go to the server that is the primary by then.
                    search.searchSoon();
                    throw e;
                }
                if (search.isClosed() || !isWorthAnotherTry(e)) {
                    throw e;
                }
                // At the end of the time-out, every command fails for that reason alone.
                last = last == null || deadline.nanosLeft() > 0 ? e : last;
            }
            if (deadline.nanosLeft() <= 0) {
                search.searchSoon();
                throw last == null ? notFound(deadline) : last;
            }
        }
    }

    /** Returns whether a command was not carried out because its server may not be the one to ask. */
    private static boolean isWorthAnotherTry(LockBackendException failure) {
        if (failure instanceof ServerErrorException said) {
            return said.error().isAboutServer() || said.error().text().startsWith("NOREPLICAS");
        }
        return failure.reason() == Reason.UNREACHABLE;
    }

    private void pause(long nanos, Deadline deadline) {
        Waiting.until(env, new CompletableFuture<>(), deadline.sooner(Duration.ofNanos(nanos), 1));
    }

    private static Duration left(Deadline deadline) {
        return Duration.ofNanos(Math.max(1, deadline.nanosLeft()));
    }

    private LockBackendException notFound(Deadline deadline) {
        return new LockBackendException(Reason.UNREACHABLE, name + " was not found within " + deadline.timeout());
    }

    @Override
    public Watch subscribe(String channel, Listener listener) {
        Watch watch = listeners.add(channel, listener);
        if (search.current() == null) {
            search.searchSoon();
        }
        return watch;
    }

    @Override
    public boolean isSubscribed(String channel) {
        return listeners.isSubscribed(channel);
    }

    @Override
    public void doubtSubscriptions() {
        Primary primary = search.current();
        if (primary != null) {
            primary.node().doubtSubscriptions();
        }
        search.searchSoon();
    }

    @Override
    public void close() {
        listeners.close();
        search.close();
        background.close();
        try {
            connector.close();
        } catch (Exception e) {
            throw new IllegalStateException("a connector throws nothing", e);
        }
    }

    @Override
    public String toString() {
        return "RedisNode[" + name + "]";
    }
}
