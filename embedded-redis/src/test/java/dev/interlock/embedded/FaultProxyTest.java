// SPDX-License-Identifier: Apache-2.0
package dev.interlock.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class FaultProxyTest {
    private static final int PATIENCE_MILLIS = 10_000;
    private static final int GLANCE_MILLIS = 50;

    private static RedisServer server;

    private final FaultProxy proxy = FaultProxy.to(server);

    @BeforeAll
    static void startServer() {
        server = RedisServer.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @AfterEach
    void close() {
        proxy.close();
        server.command("FLUSHALL");
    }

    private RespConnection connect() throws IOException {
        return new RespConnection(proxy.port(), PATIENCE_MILLIS);
    }

    @Test
    void whatBothSidesSayIsPassedOn() throws Exception {
        try (RespConnection client = connect()) {
            String large = "x".repeat(1_000_000);
            assertThat(client.call("SET", "k", large)).isEqualTo("OK");
            assertThat(client.call("GET", "k")).isEqualTo(large);
        }
        assertThat(proxy.uri()).isEqualTo("redis://127.0.0.1:" + proxy.port());
    }

    @Test
    void connectionsThatAreCutEndAndNewOnesAreAccepted() throws Exception {
        try (RespConnection client = connect()) {
            client.call("PING");

            proxy.cutConnections();

            assertThatThrownBy(() -> client.call("PING")).isInstanceOf(IOException.class);
        }
        try (RespConnection client = connect()) {
            assertThat(client.call("PING")).isEqualTo("PONG");
        }
    }

    @Test
    void connectionsAreRefusedUntilTheyAreAcceptedAgain() throws Exception {
        try (RespConnection client = connect()) {
            client.call("PING");

            proxy.refuse();

            assertThatThrownBy(() -> client.call("PING")).isInstanceOf(IOException.class);
            assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);
        }
        proxy.accept();
        try (RespConnection client = connect()) {
            assertThat(client.call("PING")).isEqualTo("PONG");
        }
    }

    @Test
    void aBlackHoleHoldsBackUntilItIsHealed() throws Exception {
        try (RespConnection early = connect()) {
            early.call("PING");
            proxy.blackhole();

            try (RespConnection late = new RespConnection(proxy.port(), GLANCE_MILLIS)) {
                assertThatThrownBy(() -> late.call("SET", "k", "v")).isInstanceOf(SocketTimeoutException.class);
                assertThat(server.command("GET", "k")).isNull();

                proxy.heal();

                assertThat(late.read()).isEqualTo("OK");
            }
            assertThat(early.call("GET", "k")).isEqualTo("v");
        }
    }

    @Test
    void aLostReplyBelongsToACommandThatWasCarriedOut() throws Exception {
        try (RespConnection client = connect()) {
            client.call("PING");
            proxy.loseNextReply();

            assertThatThrownBy(() -> client.call("SET", "k", "v")).isInstanceOf(IOException.class);

            assertThat(server.command("GET", "k")).isEqualTo("v");
        }
        try (RespConnection client = connect()) {
            assertThat(client.call("PING")).isEqualTo("PONG");
        }
    }
}
