// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.OwnerToken;
import dev.interlock.redis.connect.ClientLibrary;
import dev.interlock.redis.connect.RedisNodes;
import dev.interlock.redis.inspect.LockParty;
import dev.interlock.testservers.CommandMonitor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The moments at which a factory writes its card. No acquisition or release waits for that. */
class CardCommandsTest {
    private static final String TOKEN = "token-";
    private static final String CARD = "interlock:factory:" + LockParty.factoryOf(TOKEN + 1);
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final Duration SHORT = Duration.ofSeconds(30);
    private static final int PAIRS = 20;

    private final Fixture redis = new Fixture("interlock");
    private final List<LeaseProtocol> protocols = new ArrayList<>();
    private final AtomicLong nanos = new AtomicLong();
    private final AtomicInteger cards = new AtomicInteger();
    private final AtomicLong numbers = new AtomicLong();

    @AfterEach
    void close() {
        protocols.forEach(LeaseProtocol::close);
        redis.close();
    }

    /** The protocol of a factory whose clock shows what the test says, and whose cards the test counts. */
    private LeaseProtocol protocol(String card) {
        LockConfig config = LockConfig.builder()
                .endpoints(redis.server.uri())
                .commandTimeout(Fixture.PATIENCE)
                .option("card", card)
                .build();
        Environment real = Environment.system();
        Environment env = (Environment) Proxy.newProxyInstance(
                Environment.class.getClassLoader(), new Class<?>[] {Environment.class}, (self, method, arguments) -> {
                    if (method.getName().equals("nanoTime")) {
                        return nanos.get();
                    }
                    if (method.getName().equals("newThread") && arguments[0].equals("interlock-card")) {
                        cards.incrementAndGet();
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        LeaseProtocol protocol = new SetNxPxProtocol(
                RedisNodes.open(ClientLibrary.INTERLOCK, config, real), Settings.of(config), config, env);
        protocols.add(protocol);
        return protocol;
    }

    private Claim claim(Duration lease, boolean waiting, boolean renewed) {
        long number = numbers.incrementAndGet();
        return new Claim("mine", new OwnerToken(TOKEN + number), lease, Fixture.PATIENCE, 1, number, waiting, renewed);
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private static void assertGranted(LeaseProtocol protocol, Claim claim) {
        assertThat(protocol.attempt(claim)).isInstanceOf(Attempt.Granted.class);
    }

    /** The commands of some pairs, as the server saw them. */
    private List<String> commandsOfPairs(LeaseProtocol protocol) {
        try (CommandMonitor monitor = redis.server.monitor()) {
            for (int i = 0; i < PAIRS; i++) {
                Claim claim = claim(SHORT, true, true);
                assertGranted(protocol, claim);
                protocol.release(claim);
            }
            monitor.sync();
            return monitor.commands().stream().map(command -> command.get(0)).toList();
        }
    }

    @Test
    void acquisitionsAndReleasesAreTheSameCommandsWithACardThatIsDueAsWithoutCards() {
        LeaseProtocol with = protocol("true");
        LeaseProtocol without = protocol("false");
        pass(Duration.ofHours(1));
        // The first pairs open connections and load scripts.
        commandsOfPairs(without);
        commandsOfPairs(with);
        assertThat(commandsOfPairs(with)).isEqualTo(commandsOfPairs(without)).isNotEmpty();
        assertThat(cards).hasValue(0);
    }

    @Test
    void aRenewalWritesACardAndTheNextOnesDoNot() {
        LeaseProtocol protocol = protocol("true");
        Claim claim = claim(SHORT, true, true);
        assertGranted(protocol, claim);
        protocol.renew(List.of(claim));
        assertThat(cards).as("of a young factory").hasValue(0);
        pass(Duration.ofHours(1));
        protocol.renew(List.of(claim));
        protocol.renew(List.of(claim));
        assertThat(cards).hasValue(1);
        awaitCard();
    }

    @Test
    void whoWaitsWritesACardAndWhoAsksOnceDoesNot() {
        redis.holdElsewhere("mine");
        LeaseProtocol protocol = protocol("true");
        pass(Duration.ofHours(1));
        assertThat(protocol.attempt(claim(SHORT, false, true))).isInstanceOf(Attempt.Refused.class);
        assertThat(cards).hasValue(0);
        assertThat(protocol.attempt(claim(SHORT, true, true))).isInstanceOf(Attempt.Refused.class);
        assertThat(cards).hasValue(1);
        awaitCard();
    }

    @Test
    void aLongLeaseThatNobodyRenewsHasACardAtOnce() {
        assertGranted(protocol("true"), claim(LONG, false, false));
        assertThat(cards).hasValue(1);
        awaitCard();
    }

    @Test
    void withoutCardsNoneIsWritten() {
        LeaseProtocol protocol = protocol("false");
        pass(Duration.ofHours(1));
        Claim claim = claim(LONG, false, false);
        assertGranted(protocol, claim);
        protocol.renew(List.of(claim));
        assertThat(protocol.attempt(claim(LONG, true, true))).isInstanceOf(Attempt.Refused.class);
        assertThat(cards).hasValue(0);
    }

    private void awaitCard() {
        await().atMost(Fixture.PATIENCE).until(() -> Long.valueOf(1).equals(redis.server.command("EXISTS", CARD)));
    }
}
