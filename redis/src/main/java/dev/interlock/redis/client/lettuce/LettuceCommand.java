// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.lettuce;

import dev.interlock.redis.RedisCommand;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A command on its way through Lettuce that records whether it has reached the connection. */
final class LettuceCommand extends Command<String, String, Object> {
    private final RedisCommand command;
    private volatile boolean encoded;

    LettuceCommand(RedisCommand command) {
        super(new Keyword(command.name()), new ReplyOutput());
        this.command = command;
    }

    AsyncCommand<String, String, Object> async() {
        return new AsyncCommand<>(this);
    }

    /** Returns whether Lettuce has begun to write the command to a connection. */
    boolean isEncoded() {
        return encoded;
    }

    @Override
    public void encode(ByteBuf buffer) {
        encoded = true;
        buffer.writeBytes(command.encoded());
    }

    private static final class Keyword implements ProtocolKeyword {
        private final String name;

        Keyword(String name) {
            this.name = name;
        }

        @Override
        public byte[] getBytes() {
            return name.getBytes(StandardCharsets.UTF_8);
        }

        /**
         * Returns more than the bare name, by which Lettuce would recognize MULTI and EXEC and rearrange their replies.
         */
        @Override
        public String toString() {
            return "interlock:" + name;
        }
    }

    /** Builds a reply of any shape. Lettuce's own outputs know either lists or single values. */
    private static final class ReplyOutput extends CommandOutput<String, String, @Nullable Object> {
        private final Deque<OpenList> open = new ArrayDeque<>();

        private record OpenList(List<@Nullable Object> elements, int size) {
            boolean isFull() {
                return elements.size() == size;
            }
        }

        ReplyOutput() {
            super(StringCodec.UTF8, null);
        }

        @Override
        public void set(@Nullable ByteBuffer bytes) {
            add(bytes == null ? null : StandardCharsets.UTF_8.decode(bytes).toString());
        }

        @Override
        public void set(long integer) {
            add(integer);
        }

        @Override
        public void set(double number) {
            add(Double.toString(number));
        }

        @Override
        public void set(boolean value) {
            add(value ? 1L : 0L);
        }

        @Override
        public void multi(int count) {
            if (count < 0) {
                add(null);
                return;
            }
            List<@Nullable Object> elements = new ArrayList<>(count);
            // An empty list is complete at once, and may complete those around it.
            if (count == 0) {
                add(elements);
                return;
            }
            if (open.isEmpty()) {
                output = elements;
            } else {
                open.peek().elements().add(elements);
            }
            open.push(new OpenList(elements, count));
        }

        @Override
        public void multiMap(int count) {
            multi(2 * count);
        }

        private void add(@Nullable Object value) {
            if (open.isEmpty()) {
                output = value;
                return;
            }
            open.peek().elements().add(value);
            while (!open.isEmpty() && open.peek().isFull()) {
                open.pop();
            }
        }
    }
}
