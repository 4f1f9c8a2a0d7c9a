// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx.intercept;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.protocol.Watch;
import dev.interlock.redis.Acknowledgement;
import dev.interlock.redis.LuaScript;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink.Reply;
import dev.interlock.redis.RedisNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A server before which a test does something just as a command is about to be sent, once. */
public final class InterposedNode implements RedisNode {
    private final RedisNode node;
    private final Map<String, Runnable> before = new HashMap<>();

    /** The commands that were sent: the names of plain ones, and the digests of scripts. */
    public final List<String> sent = new CopyOnWriteArrayList<>();

    /** Turns the reply of the server into the one that the caller gets. */
    public BiFunction<RedisCommand, @Nullable Object, @Nullable Object> answer = (command, reply) -> reply;

    /** Supplies the undo of the last command that has one. */
    @Nullable
    public Supplier<RedisCommand> undo;

    /** Whether no command reaches the server, and whether no message of the server is heard. */
    public volatile boolean isDown;

    public volatile boolean isDeaf;

    /** Returned as the generation unless it is {@code null}. */
    public volatile @Nullable Long generation;

    public InterposedNode(RedisNode node) {
        this.node = node;
    }

    public void before(LuaScript script, Runnable action) {
        before.put(script.sha1(), action);
    }

    public void beforeCommand(String name, Runnable action) {
        before.put(name, action);
    }

    private void pass(RedisCommand command) {
        String name = command.isScript() ? command.arguments().get(0) : command.name();
        sent.add(name);
        if (isDown) {
            throw new LockBackendException(Reason.UNREACHABLE, "the test has put the server out of reach");
        }
        Runnable action = before.remove(name);
        if (action != null) {
            action.run();
        }
    }

    @Override
    public @Nullable Object call(RedisCommand command, Duration timeout) {
        pass(command);
        // A command that the server does not know is for the test to answer.
        return answer.apply(
                command, List.of("DELIFEQ", "DELEX").contains(command.name()) ? null : node.call(command, timeout));
    }

    @Override
    public @Nullable Object callOrUndo(RedisCommand command, Supplier<RedisCommand> theUndo, Duration timeout) {
        pass(command);
        undo = theUndo;
        return answer.apply(command, node.callOrUndo(command, theUndo, timeout));
    }

    /** Sends them one by one, so that a test can do something between them. */
    @Override
    public List<Reply> callInOrder(List<RedisCommand> commands, Supplier<RedisCommand> theUndo, Duration timeout) {
        undo = theUndo;
        List<Reply> replies = new ArrayList<>();
        for (RedisCommand command : commands) {
            pass(command);
            replies.add(callAlone(command, theUndo, timeout));
        }
        return replies;
    }

    private Reply callAlone(RedisCommand command, Supplier<RedisCommand> theUndo, Duration timeout) {
        try {
            Reply reply = node.callInOrder(List.of(command), theUndo, timeout).get(0);
            return reply instanceof Reply.Value told ? new Reply.Value(answer.apply(command, told.value())) : reply;
        } catch (LockBackendException e) {
            if (e.reason() == Reason.OUTCOME_UNKNOWN) {
                throw e;
            }
            // The connection to a server that has said it is another one now is not used again.
            return new Reply.Failed(e);
        }
    }

    @Override
    public Acknowledged callAcknowledged(RedisCommand command, Acknowledgement wanted, Duration timeout) {
        return node.callAcknowledged(command, wanted, timeout);
    }

    @Override
    public @Nullable String transactIfEqual(
            String key, String expected, List<RedisCommand> commands, Duration timeout) {
        pass(commands.get(0));
        return node.transactIfEqual(key, expected, commands, timeout);
    }

    @Override
    public long generation(String key) {
        Long set = generation;
        return set == null ? node.generation(key) : set;
    }

    @Override
    public Watch subscribe(String channel, Listener listener) {
        return node.subscribe(channel, new Listener() {
            @Override
            public void begun() {
                listener.begun();
            }

            @Override
            public void ended() {
                listener.ended();
            }

            @Override
            public void message(String text) {
                if (!isDeaf) {
                    listener.message(text);
                }
            }
        });
    }

    @Override
    public boolean isSubscribed(String channel) {
        return node.isSubscribed(channel);
    }

    @Override
    public void close() {
        node.close();
    }
}
