// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.RespConnection;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ServerPoolTest {
    private static final int PATIENCE_MILLIS = 10_000;

    private final List<EmbeddedServer> started = new ArrayList<>();
    private final ServerPool<EmbeddedServer> pool = new ServerPool<>(this::start);

    private EmbeddedServer start() {
        EmbeddedServer server = new EmbeddedServer(RedisServer.start(), pool);
        started.add(server);
        return server;
    }

    @AfterEach
    void stop() {
        started.forEach(EmbeddedServer::discard);
    }

    private static RespConnection connect(EmbeddedServer server) throws IOException {
        return new RespConnection(server.host(), server.port(), PATIENCE_MILLIS);
    }

    @Test
    void aServerIsUsedAgainWithoutWhatATestHasLeftInIt() throws Exception {
        EmbeddedServer server = pool.take();
        try (RespConnection client = connect(server)) {
            client.call("SET", "k", "v");
            client.call("SELECT", "7");
            client.call("SET", "k", "v");
            String script = String.valueOf(client.call("SCRIPT", "LOAD", "return 1"));
            client.call("FUNCTION", "LOAD", "#!lua name=lib\nredis.register_function('f', function() return 1 end)");
            client.call("CLIENT", "PAUSE", "100000", "WRITE");
            pool.giveBack(server);

            assertThat(pool.take()).isSameAs(server);
            assertThatThrownBy(() -> client.call("PING")).isInstanceOf(IOException.class);
            try (RespConnection next = connect(server)) {
                assertThat(next.call("SCRIPT", "EXISTS", script)).isEqualTo(List.of(0L));
                assertThat(next.call("FUNCTION", "LIST")).isEqualTo(List.of());
                assertThat(next.call("EXISTS", "k")).isEqualTo(0L);
                assertThat(next.call("SET", "k", "v", "NX")).isEqualTo("OK");
                next.call("SELECT", "7");
                assertThat(next.call("EXISTS", "k")).isEqualTo(0L);
            }
        }
    }

    @Test
    void aServerInUseIsNotHandedOut() {
        EmbeddedServer one = pool.take();
        EmbeddedServer other = pool.take();
        assertThat(other).isNotSameAs(one);
        pool.giveBack(one);
        assertThat(pool.take()).isSameAs(one);
        assertThat(pool.take()).isNotSameAs(one).isNotSameAs(other);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CONFIG SET maxmemory 10mb",
                "CONFIG SET requirepass s3cret",
                "ACL SETUSER somebody on nopass",
                "ACL SETUSER default -@dangerous",
                "REPLICAOF 127.0.0.1 1"
            })
    void aServerWithOtherSettingsIsNeverHandedOutAgain(String command) {
        EmbeddedServer server = pool.take();
        server.command(command.split(" "));
        assertDiscarded(server);
    }

    @Test
    void aServerThatIsGoneIsNeverHandedOutAgain() {
        EmbeddedServer server = pool.take();
        server.kill();
        assertDiscarded(server);
    }

    private void assertDiscarded(EmbeddedServer server) {
        pool.giveBack(server);
        assertThat(pool.take()).isNotSameAs(server);
        assertEnded(server);
    }

    private static void assertEnded(EmbeddedServer server) {
        assertThat(ProcessHandle.of(server.pid())).isEmpty();
    }

    @Test
    void aServerThatSomebodyUsesWhileItIsIdleIsNeverHandedOutAgain() throws Exception {
        for (String command : List.of("SET k v", "PING")) {
            EmbeddedServer server = pool.take();
            pool.giveBack(server);
            try (RespConnection client = connect(server)) {
                client.call(command.split(" "));
                assertThat(pool.take()).isNotSameAs(server);
            }
            assertEnded(server);
        }
    }

    private enum Tampering {
        PAUSE(EmbeddedServer::pause),
        PAUSE_AND_RESUME(server -> {
            server.pause();
            server.resume();
        }),
        STOP(EmbeddedServer::stop),
        RESTART_WITH_DATA(server -> {
            server.stop();
            server.startWithData();
        }),
        KILL(EmbeddedServer::kill),
        RESTART_WITHOUT_DATA(server -> {
            server.kill();
            server.startWithoutData();
        });

        final Consumer<EmbeddedServer> deed;

        Tampering(Consumer<EmbeddedServer> deed) {
            this.deed = deed;
        }
    }

    @ParameterizedTest
    @EnumSource
    void aServerWhoseProcessWasTamperedWithEndsWithItsTest(Tampering tampering) {
        EmbeddedServer server = pool.take();
        tampering.deed.accept(server);
        server.close();
        assertEnded(server);
    }

    @Test
    void aServerThatATestHasLeftAsItWasOutlivesIt() {
        EmbeddedServer server = pool.take();
        server.close();
        assertThat(ProcessHandle.of(server.pid())).isPresent();
    }
}
