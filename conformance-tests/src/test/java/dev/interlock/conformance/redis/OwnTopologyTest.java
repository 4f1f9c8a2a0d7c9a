// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.conformance.harness.Fault;
import dev.interlock.testservers.RespConnection;
import java.io.IOException;
import java.net.ConnectException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The servers announce the proxies to clients, and a fault of the proxies affects no one else. */
@Tag("conformance")
@Tag("deep")
class OwnTopologyTest {
    private static final int PATIENCE_MILLIS = 10_000;
    private static final String KEY = "interlock-kit:topology";

    private static RespConnection connect(int port) throws IOException {
        return new RespConnection("127.0.0.1", port, PATIENCE_MILLIS);
    }

    /** Connects to the primary that is responsible for the key, as clients find it. */
    private static RespConnection primary(OwnTopology topology) throws IOException {
        int seed = Integer.parseInt(topology.uri().replaceAll("[^@]*@[^:]*:(\\d+).*", "$1"));
        try (RespConnection connection = connect(seed)) {
            if (topology.uri().startsWith("redis-sentinel:")) {
                List<?> address = (List<?>) connection.call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", "mymaster");
                return connect(Integer.parseInt(String.valueOf(address.get(1))));
            }
            String slot = String.valueOf(connection.call("CLUSTER", "KEYSLOT", KEY));
            for (Object range : (List<?>) connection.call("CLUSTER", "SLOTS")) {
                List<?> fields = (List<?>) range;
                if (Long.parseLong(slot) <= (Long) fields.get(1)) {
                    return connect(Integer.parseInt(String.valueOf(((List<?>) fields.get(2)).get(1))));
                }
            }
            throw new AssertionError("nobody serves slot " + slot);
        }
    }

    @ParameterizedTest
    @EnumSource
    void faultsHitThePrimariesAsClientsFindThemAndNoOtherTakesTheirPlace(OwnTopology.Kind kind) throws Exception {
        OwnTopology topology = kind.take();
        try (RespConnection client = primary(topology)) {
            assertThat(client.call("SET", KEY, "v")).isEqualTo("OK");

            topology.inject(Fault.LOSE_NEXT_REPLY);
            assertThatThrownBy(() -> client.call("SET", KEY, "w")).isInstanceOf(IOException.class);
            topology.heal();
            try (RespConnection again = primary(topology)) {
                assertThat(again.call("GET", KEY)).isEqualTo("w");

                topology.inject(Fault.PARTITION);
                assertThatThrownBy(() -> again.call("GET", KEY)).isInstanceOf(IOException.class);
            }
            topology.heal();

            topology.inject(Fault.RESTART_WITH_DATA);
            try (RespConnection again = primary(topology)) {
                assertThat(again.call("GET", KEY)).isEqualTo("w");
            }
            topology.inject(Fault.KILL);
            assertThatThrownBy(() -> primary(topology).close()).isInstanceOf(ConnectException.class);
            topology.heal();
            try (RespConnection again = primary(topology)) {
                assertThat(again.call("GET", KEY)).isNull();
                assertThat(again.call("SET", KEY, "x")).isEqualTo("OK");
            }
        } finally {
            topology.close();
        }
        OwnTopology next = kind.take();
        try (RespConnection client = primary(next)) {
            // The same servers, unless they had not settled after their faults: then new ones replaced them.
            assertThat(client.call("GET", KEY)).isNull();
        } finally {
            next.discard();
        }
    }
}
