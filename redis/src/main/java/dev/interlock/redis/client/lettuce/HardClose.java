// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.lettuce;

import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.CommandWrapper;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import java.nio.channels.ClosedChannelException;

/**
 * Closes sockets so that the system throws away what it has not delivered yet. Lettuce does not give out the channel of
 * a connection, so a request of our own stands for the close on its way through the channel, and is never sent.
 */
final class HardClose implements NettyCustomizer {
    private static final class Request extends Command<String, String, String> {
        Request() {
            super(CommandType.QUIT, new StatusOutput<>(StringCodec.UTF8));
        }
    }

    private static final class Handler extends ChannelOutboundHandlerAdapter {
        @Override
        public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) throws Exception {
            if (message instanceof RedisCommand<?, ?, ?> command && CommandWrapper.unwrap(command) instanceof Request) {
                try {
                    context.channel().config().setOption(ChannelOption.SO_LINGER, 0);
                } catch (ChannelException e) {
                    // The other side has closed it.
                } finally {
                    // Past the encryption, which would first wait until it has said goodbye.
                    context.pipeline().firstContext().close();
                    promise.tryFailure(new ClosedChannelException());
                }
            } else {
                super.write(context, message, promise);
            }
        }
    }

    /** Closes a connection that was opened with this customizer; its resources are still to be released. */
    static void begin(StatefulConnection<String, String> connection) {
        connection.dispatch(new AsyncCommand<>(new Request()));
    }

    @Override
    public void afterChannelInitialized(Channel channel) {
        // The last handler is the first one to see a command.
        channel.pipeline().addLast(new Handler());
    }
}
