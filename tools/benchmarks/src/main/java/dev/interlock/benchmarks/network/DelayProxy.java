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
 * A proxy between clients and servers on the loopback interface that delays traffic as a network with a certain latency
 * does: in order, by the same time in each direction, and without a limit on the data under way.
 *
 * <p>It has two threads, however many connections there are: one reads, the other delivers. Connecting is not delayed,
 * only the data. Safe for use by several threads.
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

    /** Sets the delay of later data, in each direction. */
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
            // Nothing more can be done about a socket that cannot be closed.
        }
    }

    @Override
    public void close() {
        fronts.keySet().forEach(this::close);
        closeQuietly(selector);
        line.close();
    }

    /** The port to which the clients of one server connect. */
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
