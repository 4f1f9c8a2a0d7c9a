// SPDX-License-Identifier: Apache-2.0
package dev.interlock.embedded;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * Stands between clients and a {@link RedisServer}, passes on what they say, and fails as it is told to.
 *
 * <p>Listens on the loopback interface only. Instances are safe to use from any thread.
 */
public final class FaultProxy implements AutoCloseable {
    private static final int BUFFER_SIZE = 16 * 1024;

    private final int serverPort;
    private final @Nullable SSLContext tls;
    private final int port;
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private final Gate gate = new Gate();
    private final AtomicBoolean loseNextReply = new AtomicBoolean();
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable ServerSocket listener;

    private FaultProxy(RedisServer server, @Nullable SSLContext tls) {
        this.serverPort = server.port();
        this.tls = tls;
        ServerSocket socket = Ports.listen();
        this.port = socket.getLocalPort();
        serve(socket);
    }

    /**
     * Puts a proxy in front of a server.
     *
     * @param server the server
     * @return the proxy, which accepts connections
     */
    public static FaultProxy to(RedisServer server) {
        return new FaultProxy(server, null);
    }

    /**
     * Puts a proxy in front of a server to which clients speak TLS.
     *
     * @param server the server, to which the proxy speaks without TLS
     * @param tls the certificate to show
     * @return the proxy, which accepts connections
     */
    public static FaultProxy tls(RedisServer server, SSLContext tls) {
        return new FaultProxy(server, tls);
    }

    /**
     * Returns the port of the proxy, which stays the same.
     *
     * @return the port
     */
    public int port() {
        return port;
    }

    /**
     * Returns where clients find this proxy.
     *
     * @return {@code redis://127.0.0.1:port}, or {@code rediss://localhost:port} if it speaks TLS
     */
    public String uri() {
        return (tls == null ? "redis://127.0.0.1:" : "rediss://localhost:") + port;
    }

    private void serve(ServerSocket socket) {
        listener = socket;
        daemon("fault-proxy-" + port, () -> {
            while (true) {
                Socket client;
                try {
                    client = socket.accept();
                } catch (IOException e) {
                    return;
                }
                Link link = new Link(client);
                links.add(link);
                // A link that was accepted while the listener was being closed must not outlive it.
                if (socket.isClosed()) {
                    link.close();
                }
                daemon("fault-proxy-" + port + "-requests", link::passRequests);
            }
        });
    }

    /** Closes all connections; new ones are accepted. */
    public void cutConnections() {
        links.forEach(Link::close);
    }

    /** Closes all connections and stops listening, so that new ones are refused until {@link #accept}. */
    public void refuse() {
        lock.lock();
        try {
            closeQuietly(listener);
            listener = null;
            cutConnections();
        } finally {
            lock.unlock();
        }
    }

    /** Ends {@link #refuse}; has no effect otherwise. */
    public void accept() {
        lock.lock();
        try {
            if (listener == null) {
                serve(Ports.listen(port));
            }
        } catch (IOException e) {
            throw new RedisServerException("cannot listen on port " + port + " again", e);
        } finally {
            lock.unlock();
        }
    }

    /** Stops passing anything on, in both directions, while connections stay open and new ones are accepted. */
    public void blackhole() {
        gate.close();
    }

    /** Ends {@link #blackhole}: passes on what was held back, and what comes; has no effect otherwise. */
    public void heal() {
        gate.open();
    }

    /** Loses the next bytes that the server sends on any connection, and closes that connection instead. */
    public void loseNextReply() {
        loseNextReply.set(true);
    }

    /** Closes all connections and stops listening. */
    @Override
    public void close() {
        refuse();
        gate.open();
    }

    private static void daemon(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    private static void closeQuietly(@Nullable Closeable closeable) {
        if (closeable != null) {
            try {
                closeable.close();
            } catch (IOException e) {
                // A socket that does not even close is of no more use to the other side either.
            }
        }
    }

    /** Lets through while it is open. */
    private static final class Gate {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition opened = lock.newCondition();
        private boolean closed;

        void close() {
            lock.lock();
            try {
                closed = true;
            } finally {
                lock.unlock();
            }
        }

        void open() {
            lock.lock();
            try {
                closed = false;
                opened.signalAll();
            } finally {
                lock.unlock();
            }
        }

        void pass() {
            lock.lock();
            try {
                while (closed) {
                    opened.awaitUninterruptibly();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /** A client's connection and the one to the server that belongs to it. */
    private final class Link {
        private final Socket client;
        private final Socket server = new Socket();

        Link(Socket client) {
            this.client = client;
        }

        void passRequests() {
            try {
                gate.pass();
                Socket plain = tls == null ? client : handshake(tls);
                plain.setTcpNoDelay(true);
                server.connect(new InetSocketAddress(Ports.LOOPBACK, serverPort));
                server.setTcpNoDelay(true);
                OutputStream replies = plain.getOutputStream();
                daemon("fault-proxy-" + port + "-replies", () -> passReplies(replies));
                pass(plain.getInputStream(), server.getOutputStream(), false);
            } catch (IOException e) {
                // Either side has gone, which the other will see.
            } finally {
                close();
            }
        }

        private Socket handshake(SSLContext context) throws IOException {
            SSLSocket socket = (SSLSocket) context.getSocketFactory()
                    .createSocket(client, client.getInetAddress().getHostAddress(), client.getPort(), true);
            socket.setUseClientMode(false);
            socket.startHandshake();
            return socket;
        }

        private void passReplies(OutputStream replies) {
            try {
                pass(server.getInputStream(), replies, true);
            } catch (IOException e) {
                // Either side has gone, which the other will see.
            } finally {
                close();
            }
        }

        private void pass(InputStream from, OutputStream to, boolean replies) throws IOException {
            byte[] buffer = new byte[BUFFER_SIZE];
            while (true) {
                int length = from.read(buffer);
                gate.pass();
                if (length < 0 || (replies && loseNextReply.compareAndSet(true, false))) {
                    return;
                }
                to.write(buffer, 0, length);
                to.flush();
            }
        }

        void close() {
            links.remove(this);
            closeQuietly(client);
            closeQuietly(server);
        }
    }
}
