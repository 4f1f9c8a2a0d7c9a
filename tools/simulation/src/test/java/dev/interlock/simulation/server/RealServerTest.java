// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.simulation.server.ModelComparison.Answering;
import dev.interlock.testservers.RedisServer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The model of a server replies exactly as a real one does, whatever it is sent, where both are told the same time. */
class RealServerTest extends RealServerRules {
    private static final int FEW = 4_000;

    /** By then each difference has shown, and ended the comparison. */
    private static final int MANY = 40_000;

    private RedisServer server;

    @Override
    int start() throws IOException {
        server = RedisServer.start();
        return server.port();
    }

    @Override
    void stop() {
        server.close();
    }

    @Override
    Flavour flavour() {
        return Flavour.REDIS_7;
    }

    @Test
    void theModelRepliesAsARealServerDoesToAFewThousandCommands() throws Exception {
        compareAll(7, FEW);
    }

    @Test
    @Tag("deep")
    void theModelRepliesAsARealServerDoesToTwentyThousandCommands() throws Exception {
        compareAll(1, 20_000);
    }

    @Test
    @Tag("nightly")
    void theModelRepliesAsARealServerDoesToAHundredThousandCommands() throws Exception {
        compareAll(1, 100_000);
    }

    @Test
    void aScriptThatWasLoadedIsKnown() throws Exception {
        String script = "return ARGV[1] .. ' is known'";
        Object sha1 = real.call("SCRIPT", "LOAD", script);
        assertThat(model.call(0, "SCRIPT", List.of("LOAD", script))).isEqualTo(sha1);
        List<String> call = List.of(String.valueOf(sha1), "0", "it");
        assertThat(model.call(0, "EVALSHA", call))
                .isEqualTo(real.call("EVALSHA", String.valueOf(sha1), "0", "it"))
                .isEqualTo("it is known");
    }

    @Test
    void aClockThatIsAMillisecondFastIsFound() throws Exception {
        assertThat(difference((model, micros, name, args) -> model.call(micros + 1000, name, args)))
                .isNotNull();
    }

    @Test
    @Tag("deep")
    void aScoreThatIsAMillisecondLateIsFound() throws Exception {
        String millis = "return math.floor(now / 1000)";
        assertThat(RealScripts.all().get("readwritescripts.plain.read")).contains(millis);

        assertThat(difference(script -> script.replace(millis, millis + " + 1"), Answering.RIGHT))
                .isNotNull();
    }

    @Test
    void aLifeThatEndsAMillisecondLateIsFound() throws Exception {
        assertThat(difference((model, micros, name, args) -> {
                    List<String> others = new ArrayList<>(args);
                    others.replaceAll(arg -> arg.equals("70000") ? "70001" : arg);
                    return model.call(micros, name, name.equals("PEXPIRE") ? others : args);
                }))
                .isNotNull();
    }

    @Test
    void aWrongReplyIsFound() throws Exception {
        assertThat(difference((model, micros, name, args) -> {
                    Object reply = model.call(micros, name, args);
                    return name.equals("DEL") && Long.valueOf(2).equals(reply) ? (Object) 1L : reply;
                }))
                .isNotNull();
    }

    @Test
    void aTransactionThatIsCarriedOutAlthoughAKeyHasChangedIsFound() throws Exception {
        assertThat(difference(new Answering() {
                    @Override
                    public @Nullable Object call(RedisModel model, long micros, String name, List<String> args) {
                        return model.call(micros, name, args);
                    }

                    @Override
                    public @Nullable Object transact(
                            ModelSession session, long micros, String name, List<String> args) {
                        Object reply = session.call(micros, name, args);
                        if (name.equals("WATCH") && reply == Answer.OK) {
                            session.call(micros, "UNWATCH", List.of());
                        }
                        return reply;
                    }
                }))
                .isNotNull();
    }

    private @Nullable String difference(Answering answering) throws Exception {
        return difference(UnaryOperator.identity(), answering);
    }

    private @Nullable String difference(UnaryOperator<String> rewriting, Answering answering) throws Exception {
        return compare(7, MANY, rewriting, answering, false);
    }
}
