// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The proxy between two sockets of this test, which decides what each side reads and when it closes. */
class DelayProxyTest {
    private static final int PATIENCE_MILLIS = 30_000;

    /** More than fits into the buffers of the system and the window of the proxy. */
    private static final long MORE_THAN_FITS = 128 << 20;

    /** Below the ephemeral ports, so that no connection gets it as its own. */
    private static final int PORT_OF_NOBODY = 1;

    private ServerSocket server;
    private DelayProxy proxy;
    private int port;
    private final List<Socket> open = new ArrayList<>();

    @BeforeEach
    void start() throws IOException {
        server = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
        server.setSoTimeout(PATIENCE_MILLIS);
        proxy = new DelayProxy();
        port = proxy.open(server.getLocalPort());
    }

    @AfterEach
    void stop() throws IOException {
        for (Socket socket : open) {
            socket.close();
        }
        proxy.close();
        server.close();
    }

    private Socket keep(Socket socket) throws IOException {
        open.add(socket);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(PATIENCE_MILLIS);
        return socket;
    }

    private Socket connect() throws IOException {
        return keep(new Socket(InetAddress.getLoopbackAddress(), port));
    }

    private Socket accept() throws IOException {
        return keep(server.accept());
    }

    @Test
    void whatIsSaidArrivesInEachDirectionNotBeforeTheDelayIsOver() throws Exception {
        Duration delay = Duration.ofMillis(40);
        proxy.delay(delay);
        Socket client = connect();
        Socket peer = accept();

        long asked = System.nanoTime();
        client.getOutputStream().write(1);
        assertThat(peer.getInputStream().read()).isEqualTo(1);
        long answered = System.nanoTime();
        peer.getOutputStream().write(2);
        assertThat(client.getInputStream().read()).isEqualTo(2);

        assertThat(answered - asked).isGreaterThanOrEqualTo(delay.toNanos());
        assertThat(System.nanoTime() - answered).isGreaterThanOrEqualTo(delay.toNanos());
    }

    @Test
    void whatIsSaidInManyPiecesKeepsItsOrder() throws Exception {
        proxy.delay(Duration.ofMillis(2));
        DataOutputStream out = new DataOutputStream(connect().getOutputStream());
        DataInputStream in = new DataInputStream(accept().getInputStream());
        int pieces = 2_000;

        for (int i = 0; i < pieces; i++) {
            out.writeInt(i);
            // With a shorter delay, later chunks must not overtake earlier ones.
            proxy.delay(Duration.ofMillis(i % 2 * 2));
        }

        for (int i = 0; i < pieces; i++) {
            assertThat(in.readInt()).isEqualTo(i);
        }
    }

    @Test
    void manyConnectionsAreDelayedAtOnceAndManyPiecesOfEach() throws Exception {
        int connections = 200;
        int pieces = 3;
        proxy.delay(Duration.ofMillis(400));
        List<Socket> clients = new ArrayList<>();
        List<Socket> peers = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            clients.add(connect());
            peers.add(accept());
        }

        long begin = System.nanoTime();
        for (int i = 0; i < pieces; i++) {
            for (Socket client : clients) {
                client.getOutputStream().write(i);
            }
        }
        for (Socket peer : peers) {
            assertThat(peer.getInputStream().readNBytes(pieces)).containsExactly(0, 1, 2);
        }

        assertThat(System.nanoTime() - begin)
                .as("the sum of the delays of all connections would be 80 s")
                .isLessThan(TimeUnit.SECONDS.toNanos(30));
    }

    @Test
    void aReceiverThatDoesNotReadHoldsUpNoOtherAndIsSentNoMoreThanFits() throws Exception {
        Socket client = connect();
        Socket peer = accept();
        byte[] block = payload(1 << 20);
        ByteBuffer unsent = ByteBuffer.wrap(block);
        try (SocketChannel stuck = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))) {
            stuck.configureBlocking(false);
            Socket deaf = accept();

            long sent = 0;
            for (int i = 0; i < 400; i++) {
                sent += stuck.write(unsent.hasRemaining() ? unsent : unsent.rewind());
                client.getOutputStream().write(i & 0x7f);
                assertThat(peer.getInputStream().read()).isEqualTo(i & 0x7f);
            }

            assertThat(sent).isLessThan(MORE_THAN_FITS);
            for (long left = sent; left > 0; left -= block.length) {
                int length = (int) Math.min(left, block.length);
                assertThat(Arrays.equals(deaf.getInputStream().readNBytes(length), 0, length, block, 0, length))
                        .as("all that was sent is there when it is asked for")
                        .isTrue();
            }
        }
    }

    @Test
    void largePayloadsArriveWholeInBothDirectionsAtOnce() throws Exception {
        proxy.delay(Duration.ofMillis(5));
        Socket client = connect();
        Socket peer = accept();
        byte[] payload = payload(8 << 20);

        CompletableFuture<Void> there = write(client, payload);
        CompletableFuture<Void> back = write(peer, payload);

        assertThat(Arrays.equals(peer.getInputStream().readNBytes(payload.length), payload))
                .isTrue();
        assertThat(Arrays.equals(client.getInputStream().readNBytes(payload.length), payload))
                .isTrue();
        there.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        back.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    }

    private static byte[] payload(int length) {
        byte[] payload = new byte[length];
        new Random(1).nextBytes(payload);
        return payload;
    }

    private static CompletableFuture<Void> write(Socket to, byte[] payload) {
        return CompletableFuture.runAsync(() -> {
            try {
                to.getOutputStream().write(payload);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    @Test
    void oneSideMayEndWhatItSaysAndGoOnListening() throws Exception {
        proxy.delay(Duration.ofMillis(5));
        Socket client = connect();
        Socket peer = accept();

        client.getOutputStream().write(1);
        client.shutdownOutput();

        assertThat(peer.getInputStream().readAllBytes()).containsExactly(1);
        peer.getOutputStream().write(2);
        peer.getOutputStream().write(3);
        peer.close();
        assertThat(client.getInputStream().readAllBytes()).containsExactly(2, 3);
    }

    @Test
    void aServerThatRefusesConnectionsIsSeenAsAConnectionThatEnds() throws Exception {
        port = proxy.open(PORT_OF_NOBODY);

        assertThat(connect().getInputStream().read()).isEqualTo(-1);
    }

    @Test
    void aPortThatIsClosedEndsItsConnectionsAndNoOthers() throws Exception {
        int other = proxy.open(server.getLocalPort());
        Socket client = connect();
        accept();
        Socket otherClient = keep(new Socket(InetAddress.getLoopbackAddress(), other));
        Socket otherPeer = accept();

        proxy.close(port);

        assertThat(client.getInputStream().read()).isEqualTo(-1);
        otherClient.getOutputStream().write(1);
        assertThat(otherPeer.getInputStream().read()).isEqualTo(1);
    }
}
