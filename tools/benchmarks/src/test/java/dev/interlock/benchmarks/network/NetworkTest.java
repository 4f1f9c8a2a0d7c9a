// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.testservers.ChildJvmException;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.RespConnection;
import dev.interlock.tools.backends.Topology;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("deep")
class NetworkTest {
    private static final int PATIENCE_MILLIS = 30_000;

    @Test
    void aPingTakesNoLessThanTheRoundTripThatWasAskedForAndLessWithoutIt() {
        List<Duration> asked = List.of(Duration.ofNanos(200_001), Duration.ofMillis(60));

        try (Network network = Network.of(List.of(new Setting(Topology.SINGLE_SERVERS, asked.get(0))))) {
            List<PingTimes> measured = network.measure(asked);

            assertThat(measured).extracting(PingTimes::asked).isEqualTo(asked);
            assertThat(measured)
                    .allSatisfy(times -> assertThat(times.measured().p50())
                            .isGreaterThanOrEqualTo(times.asked().toNanos() / 1e3));
            assertThat(measured.get(1).proxyMicros())
                    .as("without a delay, also on a busy machine")
                    .isPositive()
                    .isLessThan(measured.get(1).measured().p50());
        }
    }

    @Test
    void withoutRoundTripsThereIsNoProxy() {
        try (Network network = Network.of(List.of(Setting.PLAIN));
                MeasuredServers servers = network.start(Setting.PLAIN, 2)) {
            assertThat(network.measure(List.of())).isEmpty();
            assertThat(servers.endpoints())
                    .extracting(Object::toString)
                    .isEqualTo(servers.all().stream().map(RedisServer::uri).toList());
        }
    }

    @Test
    void aProxyThatHasEndedIsReported() throws IOException {
        try (RedisServer server = RedisServer.start()) {
            DelayProxyProcess proxy = new DelayProxyProcess();
            RespConnection client;
            try (proxy) {
                client = new RespConnection("127.0.0.1", proxy.open(server.port()), PATIENCE_MILLIS);
                assertThat(client.call("PING")).isEqualTo("PONG");
            }

            try (client) {
                assertThatThrownBy(() -> client.call("PING")).isInstanceOf(IOException.class);
            }
            assertThatThrownBy(() -> proxy.open(server.port()))
                    .isInstanceOf(ChildJvmException.class)
                    .hasMessageStartingWith("a child process ");
        }
    }
}
