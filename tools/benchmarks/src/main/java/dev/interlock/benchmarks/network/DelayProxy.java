// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.network;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Stands between clients and servers on the loopback interface, and passes on what they say as a network does that is
 * so many microseconds long: in order, late by the same time in each direction, with as much on its way at once as
 * there is.
 *
 * <p>Has two threads, however many connections there are: one takes in, the other delivers. A connection is there at
 * once; what is said over it is late. Safe for use by several threads.
 */
final class DelayProxy implements AutoCloseable {
    private static final int BUFFER_SIZE = 64 << 10;
    private static final int BACKLOG = 4096;

    private final Selector selector;
    private final DelayLine line = new DelayLine();
    private final Map<Integer, Front> fronts = new ConcurrentHashMap<>();
    private final Thread thread = new Thread(this::takeIn, "delay-proxy");

    DelayProxy() throws IOException {
        selector = Selector.open();
        thread.setDaemon(true);
        thread.start();
    }

    /** Sets how long what is said from now on is on its way, in each direction. */
    void delay(Duration delay) {
        line.delay(delay);
    }

    /**
     * Begins to accept connections for a server.
     *
     * @param serverPort the port of the server
     * @return the port where its clients find it from now on
     */
    int open(int serverPort) throws IOException {
        Front front = new Front(serverPort);
        fronts.put(front.port(), front);
        front.begin();
        return front.port();
    }

    /** Closes a port that {@link #open} returned, and the connections over it. */
    void close(int port) {
        Front front = fronts.remove(port);
        if (front != null) {
            front.close();
        }
    }

    private void takeIn() {
        try {
            while (true) {
                selector.select(key -> {
                    try {
                        ((Runnable) key.attachment()).run();
                    } catch (CancelledKeyException e) {
                        // The thread that delivers has closed the connection.
                    }
                });
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the proxy cannot go on", e);
        } catch (ClosedSelectorException e) {
            // The proxy is closed.
        }
    }

    static void closeQuietly(Closeable closeable) {
        try {
            closeable.close();
        } catch (IOException e) {
            // A socket that does not even close is of no more use to the other side either.
        }
    }

    @Override
    public void close() {
        fronts.keySet().forEach(this::close);
        closeQuietly(selector);
        line.close();
    }

    /** Where the clients of one server connect to. */
    private final class Front {
        private final int serverPort;
        private final ServerSocketChannel listener;
        private final int port;
        private final Set<DelayedConnection> connections = ConcurrentHashMap.newKeySet();
        private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_SIZE);

        Front(int serverPort) throws IOException {
            this.serverPort = serverPort;
            listener = ServerSocketChannel.open();
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG);
            port = listener.socket().getLocalPort();
        }

        int port() {
            return port;
        }

        void begin() throws IOException {
            listener.configureBlocking(false);
            listener.register(selector, SelectionKey.OP_ACCEPT, (Runnable) this::accept);
            selector.wakeup();
        }

        private void accept() {
            SocketChannel client;
            try {
                client = listener.accept();
            } catch (IOException e) {
                // It was closed, or the client has gone again.
                return;
            }
            if (client == null) {
                return;
            }
            SocketChannel server = null;
            try {
                // On the loopback interface this does not wait.
                server = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), serverPort));
                DelayedConnection connection =
                        new DelayedConnection(client, server, selector, line, connections::remove);
                connections.add(connection);
                connection.begin(buffer);
                // One that was accepted while this front was being closed must not outlive it.
                if (!listener.isOpen()) {
                    connection.close();
                }
            } catch (IOException e) {
                // The client sees that there is no server.
                closeQuietly(client);
                if (server != null) {
                    closeQuietly(server);
                }
            }
        }

        void close() {
            closeQuietly(listener);
            connections.forEach(DelayedConnection::close);
            selector.wakeup();
        }
    }
}
