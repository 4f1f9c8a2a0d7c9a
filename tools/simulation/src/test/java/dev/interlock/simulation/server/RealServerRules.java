// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.simulation.server.ModelComparison.Answering;
import dev.interlock.testservers.RespConnection;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What the model of a flavour has in common with a real server of it, beside the replies that random sequences compare:
 * its version, how it writes scores, and its clock.
 *
 * <p>The model reads its clock as a real server reads its own. A command ran in a certain millisecond if the server
 * told the same one before and after it; if it did not, that says nothing, and all is done once more.
 */
abstract class RealServerRules {
    private static final String HOST = "127.0.0.1";
    private static final int TIMEOUT_MILLIS = 60_000;
    private static final List<String> LIVES = List.of("70000", "100000000", "1", "0", "-1", "9223372036854775807");
    private static final List<String> CONDITIONS = List.of("NX", "XX", "GT", "LT");

    /** Reads the clock until it has gone on, but not for ever. */
    private static final String CLOCK_GOES_ON = """
            local function micros()
              local time = redis.call('TIME')
              return time[1] * 1000000 + time[2]
            end
            local begin = micros()
            for _ = 1, 100000 do
              if micros() > begin then
                return 1
              end
            end
            return 0
            """;

    private int port;
    RespConnection real;
    RedisModel model;

    /** Starts a real server or finds one, and returns its port. */
    abstract int start() throws IOException;

    abstract void stop() throws IOException;

    /** What the server should be. */
    abstract Flavour flavour();

    /** How many sequences of commands to compare by the server's own clock. */
    int sequences() {
        return 200;
    }

    @BeforeEach
    void connect() throws IOException {
        port = start();
        real = open();
        new TimedServer(real, flavour()).clear();
        model = new RedisModel(flavour(), new OneListener());
    }

    @AfterEach
    void disconnect() throws IOException {
        model.close();
        real.close();
        stop();
    }

    final RespConnection open() throws IOException {
        return new RespConnection(HOST, port, TIMEOUT_MILLIS);
    }

    /** Compares as many replies, and fails if they differ or if any script or command of interest was never tried. */
    final void compareAll(long seed, int count) throws Exception {
        assertThat(compare(seed, count, UnaryOperator.identity(), Answering.RIGHT, true))
                .isNull();
    }

    /** Returns what the real server and a model first differ in, or null if they do not. */
    final @Nullable String compare(
            long seed, int count, UnaryOperator<String> rewriting, Answering answering, boolean all) throws Exception {
        try (RespConnection connection = open();
                RespConnection transactions = open();
                RespConnection listener = open();
                RedisModel compared = new RedisModel(flavour(), new OneListener(), rewriting)) {
            listener.call("SUBSCRIBE", "heard");
            ModelComparison comparison = new ModelComparison(
                    seed,
                    new TimedServer(connection, flavour()),
                    new TimedServer(transactions, flavour()),
                    compared,
                    answering);
            String difference = comparison.difference(count);
            if (all) {
                assertThat(comparison.carriedOut())
                        .containsAll(RandomCommands.scripts())
                        .contains("transaction: WATCH", "transaction: EXEC", "transaction: GETSET", "transaction: DEL");
                assertThat(comparison.carriedOut().contains("DELIFEQ")).isEqualTo(flavour() == Flavour.VALKEY_9);
            }
            return difference;
        }
    }

    @Test
    void theVersionOfRedisIsThatOfARealServer() throws IOException {
        assertThat(String.valueOf(real.call("INFO", "server")).lines())
                .contains("redis_version:" + flavour().redisVersion());
    }

    @Test
    void aScoreIsWrittenAsARealServerWritesIt() throws IOException {
        for (String score : List.of(
                "0",
                "-0",
                "-7",
                "0.1",
                "0.0001",
                "0.00001",
                "-2.5e-7",
                "1.5e-10",
                "70000.5",
                "2200000000000000.25",
                "123456789012345678",
                "-1e17",
                "1e22",
                "9223372036854775807",
                "1.7e308",
                "-inf")) {
            real.call("ZADD", "key", score, "member");
            model.call(0, "ZADD", List.of("key", score, "member"));
            Object expected = real.call("ZSCORE", "key", "member");
            Object written = model.call(0, "ZSCORE", List.of("key", "member"));
            assertThat(ModelComparison.isSame(expected, written, flavour()))
                    .as("%s: the server writes %s, the model %s", score, expected, written)
                    .isTrue();
        }
    }

    @Test
    void livesBeginAndAreToldAsOnARealServer() throws IOException {
        for (int seed = 0; seed < sequences(); seed++) {
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
            assertThat(ModelComparison.isSame(expected, replied, flavour()))
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
    void theClockOfAScriptGoesOnOrStandsStillAsOnARealServer() throws IOException {
        long goesOn = flavour() == Flavour.REDIS_7 ? 1 : 0;
        assertThat(real.call("EVAL", CLOCK_GOES_ON, "0")).isEqualTo(goesOn);
        assertThat(model.call(5_000_000L, "EVAL", List.of(CLOCK_GOES_ON, "0"))).isEqualTo(goesOn);
    }

    private long micros() throws IOException {
        List<?> time = (List<?>) real.call("TIME");
        return Long.parseLong((String) time.get(0)) * 1_000_000 + Long.parseLong((String) time.get(1));
    }

    /** As on the real server: one client listens to one channel. */
    private static final class OneListener implements ModelChannels {
        @Override
        public long listeners(String channel) {
            return channel.equals("heard") ? 1 : 0;
        }

        @Override
        public long publish(String channel, String text) {
            return listeners(channel);
        }
    }
}
