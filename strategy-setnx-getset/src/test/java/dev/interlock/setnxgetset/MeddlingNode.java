// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxgetset;

import dev.interlock.engine.protocol.Watch;
import dev.interlock.redis.Acknowledgement;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink;
import dev.interlock.redis.RedisNode;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** Does something once, just before a step, which it may make fail. */
final class MeddlingNode implements RedisNode {
    private final RedisNode node;
    private final String step;
    private Runnable meddling;

    MeddlingNode(RedisNode node, String step, Runnable meddling) {
        this.node = node;
        this.step = step;
        this.meddling = meddling;
    }

    private void before(String next) {
        if (next.equals(step)) {
            Runnable now = meddling;
            meddling = () -> {};
            now.run();
        }
    }

    @Override
    public Object call(RedisCommand command, Duration timeout) {
        before(command.toString());
        return node.call(command, timeout);
    }

    @Override
    public Object callOrUndo(RedisCommand command, Supplier<RedisCommand> undo, Duration timeout) {
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
    public String transactIfEqual(String key, String expected, List<RedisCommand> commands, Duration timeout) {
        before("transaction");
        String found = node.transactIfEqual(key, expected, commands, timeout);
        before("end of transaction");
        return found;
    }

    @Override
    public List<String> transactWhereEqual(
            List<String> keys, List<String> expected, List<RedisCommand> commands, Duration timeout) {
        String kind = keys.size() > 1 ? "batch" : "transaction";
        before(kind);
        List<String> found = node.transactWhereEqual(keys, expected, commands, timeout);
        before("end of " + kind);
        return found;
    }

    @Override
    public Watch subscribe(String channel, Listener listener) {
        return node.subscribe(channel, listener);
    }

    @Override
    public void close() {
        node.close();
    }
}
