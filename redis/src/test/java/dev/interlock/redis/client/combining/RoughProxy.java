// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.combining;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * A proxy in front of a server on this machine, which delays, splits, changes or cuts the stream of replies, piece by
 * piece.
 */
final class RoughProxy implements AutoCloseable {
    /** Larger than what one batch is answered with, so that a piece usually begins where a reply does. */
    private static final int BUFFER_SIZE = 64 * 1024;

    /** The treatment of a piece of the stream. */
    interface Handling {
        /** Passes on as it comes. */
        Handling PLAIN = OutputStream::write;

        /**
         * Passes a piece on, or what it is turned into.
         *
         * @throws IOException to cut the connection
         */
        void pass(OutputStream to, byte[] piece) throws IOException;
    }

    private final ServerSocket listener;
    private final int target;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final Set<OutputStream> clients = ConcurrentHashMap.newKeySet();
    private volatile Handling handling = Handling.PLAIN;

    RoughProxy(int target) throws IOException {
        this.target = target;
        this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    void handle(Handling next) {
        handling = next;
    }

    /** Says something to all clients that nobody has asked for. */
    void say(byte[] words) throws IOException {
        for (OutputStream client : clients) {
            client.write(words);
        }
    }

    /** Splits each piece, delays some, cuts some connections in the middle, and makes some replies unreadable. */
    static Handling rough(long seed, int hardOnes) {
        Random random = new Random(seed);
        return (to, piece) -> {
            int chance;
            int at;
            synchronized (random) {
                chance = random.nextInt(1000);
                at = random.nextInt(piece.length);
            }
            if (chance < hardOnes) {
                to.write(piece, 0, at);
                throw new IOException("cut on purpose");
            }
            if (chance < 2 * hardOnes) {
                // No reply begins so.
                piece[0] = 'x';
            } else if (chance < 3 * hardOnes) {
                // Longer than some callers wait.
                to.write(piece, 0, at);
                pause(150);
                to.write(piece, at, piece.length - at);
                return;
            } else if (chance < 4 * hardOnes) {
                pause(60);
            }
            to.write(piece, 0, at);
            to.write(piece, at, piece.length - at);
        };
    }

    /** Delays each piece by as much as a network does, and then does something to it. */
    static Handling far(Handling then) {
        return (to, piece) -> {
            pause(1);
            then.pass(to, piece);
        };
    }

    private static void pause(int millis) {
        LockSupport.parkNanos(millis * 1_000_000L);
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = listener.accept();
            Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            sockets.add(client);
            sockets.add(server);
            clients.add(client.getOutputStream());
            start(() -> pump(client, server, Handling.PLAIN));
            start(() -> pump(server, client, (to, piece) -> handling.pass(to, piece)));
        }
    }

    private void pump(Socket from, Socket to, Handling how) throws IOException {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            byte[] buffer = new byte[BUFFER_SIZE];
            for (int length = in.read(buffer); length > 0; length = in.read(buffer)) {
                how.pass(to.getOutputStream(), java.util.Arrays.copyOf(buffer, length));
            }
        } finally {
            clients.remove(to.getOutputStream());
        }
    }

    private interface Task {
        void run() throws IOException;
    }

    private static void start(Task task) {
        Thread thread = new Thread(
                () -> {
                    try {
                        task.run();
                    } catch (IOException e) {
                        // Either side has gone.
                    }
                },
                "rough-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
