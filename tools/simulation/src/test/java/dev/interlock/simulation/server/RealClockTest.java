// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.RespConnection;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The model reads its clock as a real server reads its own. A command ran in a certain millisecond if the server told
 * the same one before and after it; if it did not, that says nothing, and all is done once more.
 */
class RealClockTest {
    private static final List<String> LIVES = List.of("70000", "100000000", "1", "0", "-1", "9223372036854775807");
    private static final List<String> CONDITIONS = List.of("NX", "XX", "GT", "LT");
    private static final String CLOCK_GOES_ON = """
            local function micros()
              local time = redis.call('TIME')
              return time[1] * 1000000 + time[2]
            end
            local begin = micros()
            for _ = 1, 1000000 do
              if micros() > begin then
                return 1
              end
            end
            return 0
            """;

    private RedisServer server;
    private RespConnection real;
    private RedisModel model;

    @BeforeEach
    void start() throws IOException {
        server = RedisServer.start();
        real = new RespConnection("127.0.0.1", server.port(), 60_000);
        model = new RedisModel(Flavour.REDIS_7, new ModelChannels() {
            @Override
            public long listeners(String channel) {
                return 0;
            }

            @Override
            public long publish(String channel, String text) {
                return 0;
            }
        });
    }

    @AfterEach
    void end() throws IOException {
        model.close();
        real.close();
        server.close();
    }

    @Test
    void livesBeginAndAreToldAsOnARealServer() throws IOException {
        for (int seed = 0; seed < 200; seed++) {
            List<List<String>> commands = commands(new Random(seed));
            while (!hasCompared(seed, commands)) {
                Thread.onSpinWait();
            }
        }
    }

    /** Draws commands for one key, with and without a script. */
    private static List<List<String>> commands(Random random) {
        List<List<String>> commands = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            String life = LIVES.get(random.nextInt(LIVES.size()));
            List<String> command = new ArrayList<>(
                    switch (random.nextInt(4)) {
                        case 0 -> List.of("SET", "key", "value", "PX", life);
                        case 1 -> List.of("SET", "key", "value", "NX", "PX", life);
                        case 2 -> List.of("PEXPIRE", "key", life);
                        default -> List.of("PEXPIRE", "key", life, CONDITIONS.get(random.nextInt(4)));
                    });
            if (random.nextBoolean()) {
                command.addAll(0, List.of("EVAL", "return redis.pcall(unpack(ARGV))", "0"));
            }
            commands.add(command);
            commands.add(List.of("PTTL", "key"));
        }
        return commands;
    }

    /** Returns false if it is not known in which millisecond one of the commands ran. */
    private boolean hasCompared(int seed, List<List<String>> commands) throws IOException {
        real.call("FLUSHALL");
        model.restart(new Keyspace());
        for (List<String> command : commands) {
            long micros = micros();
            Object expected = real.call(command.toArray(String[]::new));
            if (micros() / 1000 != micros / 1000) {
                return false;
            }
            Object replied = model.call(micros, command.get(0), command.subList(1, command.size()));
            assertThat(Comparison.isSame(expected, replied))
                    .as("seed %d, %s: the server says %s, the model %s", seed, command, expected, replied)
                    .isTrue();
        }
        return true;
    }

    @Test
    void aKeyLivesThroughTheMillisecondAtWhichItEnds() throws IOException {
        boolean seenAtItsEnd = false;
        while (!seenAtItsEnd) {
            real.call("SET", "key", "value", "PX", "3");
            long ends = (Long) real.call("PEXPIRETIME", "key");
            for (long before = micros(); before / 1000 <= ends; before = micros()) {
                Object exists = real.call("EXISTS", "key");
                if (micros() / 1000 == before / 1000) {
                    assertThat(exists).isEqualTo(1L);
                    seenAtItsEnd |= before / 1000 == ends;
                }
            }
            assertThat(real.call("EXISTS", "key")).isEqualTo(0L);
        }

        long begin = 5_000_000L;
        model.call(begin, "SET", List.of("key", "value", "PX", "3"));
        assertThat(model.call(begin + 3_999, "EXISTS", List.of("key"))).isEqualTo(1L);
        assertThat(model.call(begin + 4_000, "EXISTS", List.of("key"))).isEqualTo(0L);
    }

    @Test
    void theClockGoesOnWhileAScriptRuns() throws IOException {
        assertThat(real.call("EVAL", CLOCK_GOES_ON, "0")).isEqualTo(1L);
        assertThat(model.call(5_000_000L, "EVAL", List.of(CLOCK_GOES_ON, "0"))).isEqualTo(1L);
    }

    private long micros() throws IOException {
        List<?> time = (List<?>) real.call("TIME");
        return Long.parseLong((String) time.get(0)) * 1_000_000 + Long.parseLong((String) time.get(1));
    }
}
