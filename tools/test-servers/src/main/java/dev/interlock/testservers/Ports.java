// SPDX-License-Identifier: Apache-2.0
package dev.interlock.testservers;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Ports of the loopback interface. */
final class Ports {
    static final InetAddress LOOPBACK = loopback();

    // Below the ports that operating systems give to outgoing connections: while a server is down, one of those could
    // take its port, or a client that tries to reconnect could even be connected to itself.
    private static final int FIRST = 20_000;
    private static final int LAST = 32_000;
    private static final int TRIES = 100;

    private static final int COPIES_SECONDS = 10;

    /**
     * The ports of this JVM's servers and proxies, reserved even while nobody listens on them. A datagram socket on the
     * same port reserves it among JVMs that use this class.
     */
    private static final Map<Integer, DatagramSocket> OURS = new ConcurrentHashMap<>();

    private Ports() {}

    private static InetAddress loopback() {
        try {
            return InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
        } catch (UnknownHostException e) {
            throw new IllegalStateException("four bytes are an address", e);
        }
    }

    /**
     * Binds to a free port, which no other server or proxy of this library gets until it is
     * {@linkplain #giveBack given back}.
     */
    static ServerSocket listen() {
        IOException last = null;
        for (int i = 0; i < TRIES; i++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, LAST);
            if (reserve(port)) {
                try {
                    return listen(port);
                } catch (IOException e) {
                    giveBack(port);
                    last = e;
                }
            }
        }
        throw new RedisServerException("found no free port between " + FIRST + " and " + LAST, last);
    }

    static ServerSocket listen(int port) throws IOException {
        ServerSocket socket = new ServerSocket();
        try {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(LOOPBACK, port));
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /**
     * Binds to a reserved port again. A process that is being started has copies of this JVM's sockets, and blocks the
     * port until it has closed them.
     */
    static ServerSocket listenAgain(int port) throws IOException {
        long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(COPIES_SECONDS);
        while (true) {
            try {
                return listen(port);
            } catch (BindException e) {
                if (System.nanoTime() - giveUp > 0) {
                    throw e;
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            }
        }
    }

    /**
     * Waits until connections to a port that this JVM has stopped listening on are refused: until then, those copies
     * accept them.
     */
    static void awaitRefusal(int port) throws IOException {
        long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(COPIES_SECONDS);
        while (true) {
            try (Socket probe = new Socket()) {
                probe.connect(new InetSocketAddress(LOOPBACK, port));
            } catch (ConnectException e) {
                return;
            } catch (SocketException e) {
                // The last copy was closed at that moment.
            }
            if (System.nanoTime() - giveUp > 0) {
                throw new IOException("something goes on listening on port " + port);
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    private static boolean reserve(int port) {
        try {
            OURS.put(port, new DatagramSocket(new InetSocketAddress(LOOPBACK, port)));
            return true;
        } catch (SocketException e) {
            return false;
        }
    }

    /** Releases a reserved port. */
    static void giveBack(int port) {
        DatagramSocket reservation = OURS.remove(port);
        if (reservation != null) {
            reservation.close();
        }
    }

    /**
     * Reserves a port that is free now, though another program may take it a moment later. The caller gives it back.
     */
    static int free() {
        try (ServerSocket socket = listen()) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new RedisServerException("cannot give a port back", e);
        }
    }
}
