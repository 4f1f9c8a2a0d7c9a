// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.engine.protocol.Watch;
import dev.interlock.redis.Acknowledgement;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink;
import dev.interlock.redis.RedisNode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A real server behind a gate: scripts wait, in the order in which they were sent, until the test lets them pass. */
public final class GatedNode implements RedisNode {
    private final RedisNode node;
    private final Gate gate;
    private final AtomicInteger scripts = new AtomicInteger();
    private final ExecutorService road = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, "gate");
        thread.setDaemon(true);
        return thread;
    });

    /** Called for each script that passes; may block or act in between. */
    public interface Gate {
        /** Before a script is sent: the first is number zero. */
        void beforeScript(int number) throws Exception;

        /** When its reply has come, and the client has counted it. */
        default void afterReply(int number) {}
    }

    public GatedNode(RedisNode node, Gate gate) {
        this.node = node;
        this.gate = gate;
    }

    @Override
    public RedisLink openLink(Duration timeout) {
        return new GatedLink(node.openLink(timeout));
    }

    @Override
    public @Nullable Object call(RedisCommand command, Duration timeout) {
        return node.call(command, timeout);
    }

    @Override
    public @Nullable Object callOrUndo(RedisCommand command, Supplier<RedisCommand> undo, Duration timeout) {
        return node.callOrUndo(command, undo, timeout);
    }

    @Override
    public List<RedisLink.Reply> callInOrder(
            List<RedisCommand> commands, Supplier<RedisCommand> undo, Duration timeout) {
        return node.callInOrder(commands, undo, timeout);
    }

    @Override
    public Acknowledged callAcknowledged(RedisCommand command, Acknowledgement wanted, Duration timeout) {
        return node.callAcknowledged(command, wanted, timeout);
    }

    @Override
    public @Nullable String transactIfEqual(
            String key, String expected, List<RedisCommand> commands, Duration timeout) {
        return node.transactIfEqual(key, expected, commands, timeout);
    }

    @Override
    public Watch subscribe(String channel, Listener listener) {
        return node.subscribe(channel, listener);
    }

    @Override
    public void close() {
        road.shutdownNow();
        node.close();
    }

    private final class GatedLink implements RedisLink {
        private final RedisLink link;

        GatedLink(RedisLink link) {
            this.link = link;
        }

        @Override
        public Sent send(RedisCommand command, Consumer<Reply> onReply) {
            if (!command.isScript() && !command.name().equals("EVAL")) {
                return pass(command, onReply);
            }
            int number = scripts.getAndIncrement();
            AtomicReference<@Nullable Sent> sent = new AtomicReference<>();
            try {
                road.execute(() -> {
                    try {
                        gate.beforeScript(number);
                    } catch (InterruptedException e) {
                        return;
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                    sent.set(pass(command, reply -> {
                        onReply.accept(reply);
                        gate.afterReply(number);
                    }));
                });
            } catch (RejectedExecutionException e) {
                return pass(command, onReply);
            }
            return () -> {
                Sent passed = sent.get();
                if (passed != null) {
                    passed.doNotRepeat();
                }
            };
        }

        private Sent pass(RedisCommand command, Consumer<Reply> onReply) {
            Sent sent = link.send(command, onReply);
            link.readInBackground();
            return sent;
        }

        @Override
        public boolean isOpen() {
            return link.isOpen();
        }

        @Override
        public void close() {
            link.close();
        }
    }
}
