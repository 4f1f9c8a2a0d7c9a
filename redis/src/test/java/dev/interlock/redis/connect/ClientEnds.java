// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.connect;

import dev.interlock.testservers.RedisServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A proxy in front of a server that notes how clients end their connections. */
final class ClientEnds implements AutoCloseable {
    private final ServerSocket listening;
    private final int server;
    private final BlockingQueue<String> ends = new LinkedBlockingQueue<>();

    ClientEnds(RedisServer server) throws IOException {
        this.server = server.port();
        listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        run(this::accept);
    }

    private interface Work {
        void run() throws IOException;
    }

    private static void run(Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (IOException e) {
                        // One of the sockets was closed.
                    }
                },
                "client-ends");
        thread.setDaemon(true);
        thread.start();
    }

    int port() {
        return listening.getLocalPort();
    }

    /** Waits for the end of the next connection: returns whether the client has {@code closed} or {@code reset} it. */
    String awaitNext() throws InterruptedException {
        return String.valueOf(ends.poll(RedisLinkContract.LONG.toSeconds(), TimeUnit.SECONDS));
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = listening.accept();
            Socket upstream = new Socket(InetAddress.getLoopbackAddress(), server);
            run(() -> upstream.getInputStream().transferTo(client.getOutputStream()));
            run(() -> {
                try (client;
                        upstream) {
                    client.getInputStream().transferTo(upstream.getOutputStream());
                    ends.add("closed");
                } catch (IOException e) {
                    ends.add("reset");
                }
            });
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
    }
}
