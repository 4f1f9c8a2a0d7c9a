// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.network;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** A connection of a client and the one to the server that belongs to it, with a stream in each direction. */
final class DelayedConnection {
    private static final int DIRECTIONS = 2;

    private final SelectionKey client;
    private final SelectionKey server;
    private final DelayedStream requests;
    private final DelayedStream replies;
    private final AtomicInteger openStreams = new AtomicInteger(DIRECTIONS);
    private final Consumer<DelayedConnection> whenClosed;

    /**
     * Creates a connection, which passes nothing on yet.
     *
     * @param client the connection of the client
     * @param server the connection to the server
     * @param selector selects the one of the two that is ready
     * @param line delays both directions
     * @param whenClosed called when both are closed
     */
    DelayedConnection(
            SocketChannel client,
            SocketChannel server,
            Selector selector,
            DelayLine line,
            Consumer<DelayedConnection> whenClosed)
            throws IOException {
        this.client = register(client, selector);
        this.server = register(server, selector);
        this.whenClosed = whenClosed;
        requests = new DelayedStream(this, this.client, this.server, line);
        replies = new DelayedStream(this, this.server, this.client, line);
    }

    private static SelectionKey register(SocketChannel channel, Selector selector) throws IOException {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.configureBlocking(false);
        return channel.register(selector, 0);
    }

    /**
     * Begins to forward data in both directions.
     *
     * @param buffer room for what is read, which connections of one thread share
     */
    void begin(ByteBuffer buffer) {
        client.attach((Runnable) () -> passOn(client, requests, replies, buffer));
        server.attach((Runnable) () -> passOn(server, replies, requests, buffer));
        client.interestOps(SelectionKey.OP_READ);
        server.interestOps(SelectionKey.OP_READ);
    }

    private static void passOn(SelectionKey ready, DelayedStream from, DelayedStream to, ByteBuffer buffer) {
        if (ready.isReadable()) {
            from.read(buffer);
        }
        if (ready.isWritable()) {
            to.writeMore();
        }
    }

    /** Ends the connection when neither side has anything more to say. */
    void streamEnded() {
        if (openStreams.decrementAndGet() == 0) {
            close();
        }
    }

    /** Closes both sides; has no effect if called again. */
    void close() {
        whenClosed.accept(this);
        DelayProxy.closeQuietly(client.channel());
        DelayProxy.closeQuietly(server.channel());
        // The system closes a channel when its selector has noticed.
        client.selector().wakeup();
    }
}
