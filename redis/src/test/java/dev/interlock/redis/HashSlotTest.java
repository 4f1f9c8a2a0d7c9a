// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.testservers.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class HashSlotTest {
    @Test
    void slotsAreThoseThatAServerNames() {
        List<String> keys = new ArrayList<>(List.of(
                "", "123456789", "{", "}", "{}", "{}x", "a{}b{c}", "a{b}c", "{a}{b}", "a}b{c}", "{{a}}", "äöü{ß}€"));
        Random random = new Random(7);
        String characters = "ab{}:9ü€";
        for (int i = 0; i < 500; i++) {
            StringBuilder key = new StringBuilder();
            for (int length = random.nextInt(12); length >= 0; length--) {
                key.append(characters.charAt(random.nextInt(characters.length())));
            }
            keys.add(key.toString());
        }
        try (RedisServer server = RedisServer.start("--cluster-enabled", "yes")) {
            for (String key : keys) {
                assertThat(HashSlot.of(key)).as(key).isEqualTo(Math.toIntExact((Long)
                        server.command("CLUSTER", "KEYSLOT", key)));
            }
        }
    }
}
