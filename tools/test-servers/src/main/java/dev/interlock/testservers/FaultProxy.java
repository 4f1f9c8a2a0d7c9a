// SPDX-License-Identifier: Apache-2.0
package dev.interlock.testservers;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * A proxy between clients and a {@link RedisServer} that forwards all traffic, and injects faults on demand.
 *
 * <p>Listens on the loopback interface only. Instances are safe to use from any thread.
 */
public final class FaultProxy implements AutoCloseable {
    private static final int BUFFER_SIZE = 16 * 1024;

    private final @Nullable SSLContext tls;
    private final boolean asksForCertificates;
    private final int port;
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private final Gate requestGate = new Gate();
    private final Gate replyGate = new Gate();
    private final Delay delay = new Delay();
    private final AtomicReference<@Nullable ArmedTrap> trap = new AtomicReference<>();
    private final ReentrantLock lock = new ReentrantLock();
    private volatile InetSocketAddress target;
    private volatile @Nullable Text spared;
    private volatile PortTranslation translation = PortTranslation.NONE;
    private @Nullable ServerSocket listener;
    private CompletableFuture<?> accepting = CompletableFuture.completedFuture(null);

    /** The fate of a request that a {@linkplain #trap trap} catches. */
    public enum Trap {
        /** The request is held, and so is all other traffic on all connections, until {@link #heal}. */
        HOLD_REQUEST,
        /** The request is forwarded and carried out. Its reply and all others are held until {@link #heal}. */
        HOLD_REPLY,
        /** The request is forwarded and carried out. Its reply is lost, and its connection is closed instead. */
        LOSE_REPLY
    }

    /** A trap that has not caught a request yet. */
    private static final class ArmedTrap {
        final Text text;
        final Trap kind;
        final CompletableFuture<Void> snapped = new CompletableFuture<>();

        ArmedTrap(String text, Trap kind) {
            this.text = new Text(text);
            this.kind = kind;
        }
    }

    /** Something to look for in requests. */
    private static final class Text {
        private final byte[] bytes;

        Text(String text) {
            bytes = text.getBytes(StandardCharsets.UTF_8);
        }

        boolean isIn(byte[] buffer, int length) {
            for (int from = 0; from + bytes.length <= length; from++) {
                if (Arrays.equals(buffer, from, from + bytes.length, bytes, 0, bytes.length)) {
                    return true;
                }
            }
            return false;
        }
    }

    private FaultProxy(InetSocketAddress target, @Nullable SSLContext tls, boolean asksForCertificates) {
        this.target = target;
        this.tls = tls;
        this.asksForCertificates = asksForCertificates;
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
        return new FaultProxy(new InetSocketAddress(Ports.LOOPBACK, server.port()), null, false);
    }

    /**
     * Puts a proxy in front of a server that somebody else has started.
     *
     * @param host the server's name or address
     * @param port its port
     * @return the proxy, which accepts connections
     */
    public static FaultProxy to(String host, int port) {
        return new FaultProxy(new InetSocketAddress(host, port), null, false);
    }

    /**
     * Puts a proxy in front of a server to which clients speak TLS.
     *
     * @param server the server, to which the proxy speaks without TLS
     * @param tls the certificate to show
     * @return the proxy, which accepts connections
     */
    public static FaultProxy tls(RedisServer server, SSLContext tls) {
        return new FaultProxy(new InetSocketAddress(Ports.LOOPBACK, server.port()), tls, false);
    }

    /**
     * Puts a proxy in front of a server to which clients speak TLS, and have to show a certificate.
     *
     * @param server the server, to which the proxy speaks without TLS
     * @param tls the certificate to show, and whose certificates to accept
     * @return the proxy, which accepts connections
     */
    public static FaultProxy mutualTls(RedisServer server, SSLContext tls) {
        return new FaultProxy(new InetSocketAddress(Ports.LOOPBACK, server.port()), tls, true);
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
     * Returns the endpoint of this proxy.
     *
     * @return {@code redis://127.0.0.1:port}, or {@code rediss://localhost:port} if it speaks TLS
     */
    public String uri() {
        return (tls == null ? "redis://127.0.0.1:" : "rediss://localhost:") + port;
    }

    /**
     * Directs new connections to another server, or to a server that has moved.
     *
     * @param host the server's name or address
     * @param port its port
     */
    public void redirect(String host, int port) {
        target = new InetSocketAddress(host, port);
    }

    /**
     * Exempts connections that do not belong to the clients under test, such as a sentinel's, from faults and traps.
     * They are closed with the others when all connections are closed.
     *
     * @param text what is in the first request of such a connection, from now on
     */
    public void spare(String text) {
        spared = new Text(text);
    }

    /**
     * Replaces the ports by which sentinels and cluster nodes lead clients to each other, so that a client stays on its
     * own proxies. Applies to addresses on 127.0.0.1 in replies and messages from now on.
     *
     * @param ports the port of a proxy for the port of each server; all have the same number of digits, as those of
     *     servers and proxies of this library do
     */
    public void translate(Map<Integer, Integer> ports) {
        translation = new PortTranslation(ports);
    }

    private void serve(ServerSocket socket) {
        listener = socket;
        CompletableFuture<?> end = new CompletableFuture<>();
        accepting = end;
        daemon("fault-proxy-" + port, () -> {
            try {
                acceptAll(socket);
            } finally {
                end.complete(null);
            }
        });
    }

    private void acceptAll(ServerSocket socket) {
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
            // The system goes on listening until the accepting thread has noticed.
            accepting.join();
            Ports.awaitRefusal(port);
            cutConnections();
        } catch (IOException e) {
            throw new RedisServerException("cannot stop listening on port " + port, e);
        } finally {
            lock.unlock();
        }
    }

    /** Ends {@link #refuse}; has no effect otherwise. */
    public void accept() {
        lock.lock();
        try {
            if (listener == null) {
                serve(Ports.listenAgain(port));
            }
        } catch (IOException e) {
            throw new RedisServerException("cannot listen on port " + port + " again", e);
        } finally {
            lock.unlock();
        }
    }

    /** Stops forwarding in both directions. Connections stay open, and new ones are accepted. */
    public void blackhole() {
        requestGate.close();
        replyGate.close();
    }

    /** Stops forwarding replies. Requests still reach the server and are carried out. */
    public void blackholeReplies() {
        replyGate.close();
    }

    /**
     * Ends {@link #blackhole}, {@link #blackholeReplies}, {@link #delayReplies}, and a {@link #loseNextReply} or
     * {@link #trap} that has met no request: passes on what was held back, and what comes; has no effect otherwise.
     * Connections that were {@linkplain #halfOpen lost silently} stay lost.
     */
    public void heal() {
        trap.set(null);
        delay.set(Duration.ZERO);
        requestGate.open();
        replyGate.open();
    }

    /**
     * Forwards each reply after a delay, in order; delays do not add up.
     *
     * @param delay by how much, until {@link #heal}
     */
    public void delayReplies(Duration delay) {
        this.delay.set(delay);
    }

    /**
     * Forwards the next request on any connection, loses its reply, and closes that connection instead. Replaces a trap
     * that has not caught a request yet.
     *
     * @return is completed once the reply is lost
     */
    public CompletableFuture<Void> loseNextReply() {
        // This text is in every request.
        return trap("", Trap.LOSE_REPLY);
    }

    /**
     * Sets a trap for the next request on any connection that contains a text, such as the name of a key.
     *
     * @param text the text
     * @param kind what happens to the request
     * @return is completed once that has happened: when the request has come, or, where it is carried out, when the
     *     reply has
     */
    public CompletableFuture<Void> trap(String text, Trap kind) {
        ArmedTrap armed = new ArmedTrap(text, kind);
        trap.set(armed);
        return armed.snapped;
    }

    /**
     * Drops all current connections without notice to clients, as a network does that has lost their state. Servers see
     * them closed.
     */
    public void halfOpen() {
        links.forEach(link -> link.fallSilent(true));
    }

    /** Drops all current connections without notice to clients or servers. New connections work. */
    public void dropSilently() {
        links.forEach(link -> link.fallSilent(false));
    }

    /**
     * Closes all current connections on the side of clients alone. To servers they look as if the clients were still
     * there, and read what is sent to them, until connections are {@linkplain #cutConnections cut}. New connections
     * work.
     */
    public void closeClientSides() {
        links.forEach(Link::closeClientSide);
    }

    /** Closes all connections and stops listening. */
    @Override
    public void close() {
        refuse();
        heal();
        Ports.giveBack(port);
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
                // A socket that cannot be closed is of no use to the other side either.
            }
        }
    }

    /** Passes traffic while it is open. */
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

    /** Passes replies that have waited long enough. */
    private static final class Delay {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition changed = lock.newCondition();
        private long nanos;

        void set(Duration delay) {
            lock.lock();
            try {
                nanos = delay.toNanos();
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }

        void pass(long since) {
            lock.lock();
            try {
                long rest = since + nanos - System.nanoTime();
                while (nanos > 0 && rest > 0) {
                    changed.awaitNanos(rest);
                    rest = since + nanos - System.nanoTime();
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException("nobody interrupts the threads of a proxy", e);
            } finally {
                lock.unlock();
            }
        }
    }

    /** Bytes from the server with their time of arrival; none at the end. */
    private static final class Reply {
        private final byte[] bytes;
        private final long since = System.nanoTime();

        Reply(byte[] bytes) {
            this.bytes = bytes;
        }

        boolean isEnd() {
            return bytes.length == 0;
        }
    }

    /** A connection of a client and its counterpart to the server. */
    private final class Link {
        private final Socket client;
        private final Socket server = new Socket();
        private final BlockingQueue<Reply> replies = new LinkedBlockingQueue<>();
        private volatile boolean isSpared;
        private volatile boolean losesReply;
        private volatile boolean silent;
        private volatile boolean keepsServer;
        private volatile @Nullable ArmedTrap awaitsReply;

        Link(Socket client) {
            this.client = client;
        }

        void passRequests() {
            try {
                requestGate.pass();
                Socket plain = tls == null ? client : handshake(tls);
                plain.setTcpNoDelay(true);
                server.connect(target);
                server.setTcpNoDelay(true);
                OutputStream out = plain.getOutputStream();
                daemon("fault-proxy-" + port + "-replies", this::takeReplies);
                daemon("fault-proxy-" + port + "-answers", () -> passReplies(out));
                passRequests(plain.getInputStream(), server.getOutputStream());
            } catch (IOException e) {
                // One side has closed the connection; the other side will notice.
            } finally {
                end();
            }
        }

        private Socket handshake(SSLContext context) throws IOException {
            SSLSocket socket = (SSLSocket) context.getSocketFactory()
                    .createSocket(client, client.getInetAddress().getHostAddress(), client.getPort(), true);
            socket.setUseClientMode(false);
            socket.setNeedClientAuth(asksForCertificates);
            socket.startHandshake();
            return socket;
        }

        private void passRequests(InputStream from, OutputStream to) throws IOException {
            byte[] buffer = new byte[BUFFER_SIZE];
            int length = from.read(buffer);
            Text text = spared;
            isSpared = text != null && length > 0 && text.isIn(buffer, length);
            for (; length >= 0; length = from.read(buffer)) {
                if (isSpared) {
                    to.write(buffer, 0, length);
                    to.flush();
                    continue;
                }
                ArmedTrap armed = trap.get();
                if (armed != null && !silent && armed.text.isIn(buffer, length) && trap.compareAndSet(armed, null)) {
                    snap(armed);
                }
                requestGate.pass();
                if (silent) {
                    continue;
                }
                to.write(buffer, 0, length);
                to.flush();
            }
        }

        private void snap(ArmedTrap armed) {
            switch (armed.kind) {
                case HOLD_REQUEST -> {
                    blackhole();
                    armed.snapped.complete(null);
                }
                case HOLD_REPLY -> {
                    replyGate.close();
                    awaitsReply = armed;
                }
                case LOSE_REPLY -> {
                    losesReply = true;
                    awaitsReply = armed;
                }
            }
        }

        /** Stops forwarding for good, and leaves the client's connection open. */
        void fallSilent(boolean closeServer) {
            silent = true;
            if (closeServer) {
                closeQuietly(server);
            }
        }

        private void replyHasCome() {
            ArmedTrap armed = awaitsReply;
            awaitsReply = null;
            if (armed != null) {
                armed.snapped.complete(null);
            }
        }

        private void takeReplies() {
            try {
                InputStream from = server.getInputStream();
                byte[] buffer = new byte[BUFFER_SIZE];
                int length = from.read(buffer);
                while (length >= 0 && !losesReply) {
                    if (!silent) {
                        replies.add(new Reply(translation.apply(Arrays.copyOf(buffer, length))));
                    }
                    replyHasCome();
                    length = from.read(buffer);
                }
            } catch (IOException e) {
                // One side has closed the connection; the other side will notice.
            } finally {
                if (!silent) {
                    replies.add(new Reply(new byte[0]));
                }
                replyHasCome();
            }
        }

        private void passReplies(OutputStream to) {
            try {
                for (Reply reply = replies.take(); !reply.isEnd(); reply = replies.take()) {
                    if (!isSpared) {
                        delay.pass(reply.since);
                        replyGate.pass();
                    }
                    if (!silent) {
                        to.write(reply.bytes);
                        to.flush();
                    }
                }
            } catch (IOException e) {
                // One side has closed the connection; the other side will notice.
            } catch (InterruptedException e) {
                throw new IllegalStateException("nobody interrupts the threads of a proxy", e);
            } finally {
                end();
            }
        }

        /** Closes the client's connection, and leaves that to the server open, without a word from now on. */
        void closeClientSide() {
            silent = true;
            keepsServer = true;
            closeQuietly(client);
        }

        /** Closes both sides because one is closed, unless the other one shall not notice. */
        private void end() {
            if (!keepsServer) {
                close();
            }
        }

        void close() {
            links.remove(this);
            closeQuietly(client);
            closeQuietly(server);
        }
    }
}
