// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.OwnerToken;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.connect.RedisNodes;
import dev.interlock.redis.endpoint.RedisEndpoint;
import dev.interlock.redis.inspect.FactoryCard;
import dev.interlock.redis.inspect.FactoryCards;
import dev.interlock.redis.inspect.LockParty;
import dev.interlock.testservers.RedisServer;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The card that a factory writes for operators: its contents, and when it is written. */
class FactoryCardsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration YOUTH = Duration.ofSeconds(30);
    private static final Duration PERIOD = Duration.ofSeconds(20);
    private static final Duration MOMENT = Duration.ofNanos(1);
    private static final Claim CLAIM = claim(PATIENCE, true);
    private static final String KEY = "interlock:factory:" + LockParty.factoryOf(CLAIM.token());

    private final RedisServer server = RedisServer.start();
    private final AtomicLong nanos = new AtomicLong();
    private final Environment env = new ShiftedEnvironment() {
        @Override
        public long nanoTime() {
            return nanos.get();
        }
    };
    private final LockConfig config = LockConfig.of(server.uri()).toBuilder()
            .commandTimeout(PATIENCE)
            .option("client-name", "billing")
            .build();
    private final RedisNode node =
            RedisNodes.jedis(RedisEndpoint.of(config.endpoints().get(0)), config, Environment.system());

    private static Claim claim(Duration lease, boolean renewed) {
        return new Claim("name", new OwnerToken("secret-of-a-factory-7"), lease, PATIENCE, 1, 7, false, renewed);
    }

    @AfterEach
    void close() {
        node.close();
        server.close();
    }

    private FactoryCards cards(LockConfig config) {
        return new FactoryCards(node, config, env);
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private FactoryCard awaitCard() {
        await().atMost(PATIENCE).until(() -> server.command("GET", KEY) != null);
        return FactoryCard.read(String.valueOf(server.command("GET", KEY))).orElseThrow();
    }

    @Test
    void aCardNamesTheProcessAndNoSecretAndEndsByItself() {
        FactoryCards cards = cards(config);
        pass(YOUTH);
        cards.writeIfDue(CLAIM);
        FactoryCard card = awaitCard();
        assertThat(card.pid()).isEqualTo(ProcessHandle.current().pid());
        assertThat(card.host()).isNotBlank();
        assertThat(card.client()).isEqualTo("billing");
        assertThat(card.started()).isBefore(Instant.now().plusSeconds(1));
        assertThat((Long) server.command("PTTL", KEY)).isBetween(1L, 60_000L);
        assertThat(KEY + card.text()).doesNotContain("secret");
    }

    @Test
    void aYoungFactoryWritesNoneAndAnOlderOneSeldom() {
        FactoryCards cards = cards(config);
        FactoryCards off = cards(config.toBuilder().option("card", "false").build());
        cards.writeIfDue(CLAIM);
        pass(YOUTH.minus(MOMENT));
        cards.writeIfDue(CLAIM);
        assertThat(server.command("EXISTS", KEY)).isEqualTo(0L);
        pass(MOMENT);
        off.writeIfDue(CLAIM);
        cards.writeIfDue(CLAIM);
        awaitCard();
        server.command("DEL", KEY);
        pass(PERIOD.minus(MOMENT));
        cards.writeIfDue(CLAIM);
        pass(MOMENT);
        cards.writeIfDue(CLAIM);
        awaitCard();
        assertThat(writes()).isEqualTo(2);
    }

    @Test
    void aYoungFactoryWritesItForALongLeaseThatNobodyRenews() {
        FactoryCards cards = cards(config);
        cards.writeIfDue(claim(YOUTH, false));
        cards.writeIfDue(claim(YOUTH.plusMillis(1), true));
        assertThat(server.command("EXISTS", KEY)).isEqualTo(0L);
        cards.writeIfDue(claim(YOUTH.plusMillis(1), false));
        awaitCard();
        assertThat(writes()).isEqualTo(1);
    }

    @Test
    void aCardLastsAsLongAsAnyLeaseThatNobodyRenewsButForADayAtMost() {
        FactoryCards cards = cards(config);
        cards.writeIfDue(claim(Duration.ofHours(2), false));
        awaitCard();
        assertThat((Long) server.command("PTTL", KEY)).isBetween(3_600_000L, 7_200_000L);

        pass(YOUTH);
        server.command("DEL", KEY);
        cards.writeIfDue(CLAIM);
        awaitCard();
        assertThat((Long) server.command("PTTL", KEY)).isBetween(3_600_000L, 7_170_000L);

        pass(PERIOD);
        server.command("DEL", KEY);
        cards.writeIfDue(claim(Duration.ofDays(400), false));
        awaitCard();
        assertThat((Long) server.command("PTTL", KEY)).isBetween(3_600_000L, 86_400_000L);
    }

    /** Returns how many cards were written, as the server has counted. */
    private int writes() {
        Matcher calls = Pattern.compile("cmdstat_set:calls=(\\d+)")
                .matcher(String.valueOf(server.command("INFO", "commandstats")));
        return calls.find() ? Integer.parseInt(calls.group(1)) : 0;
    }

    @Test
    void aRefusedCardHarmsNobody() {
        FactoryCards cards = cards(config);
        server.command("CONFIG", "SET", "maxmemory", "1");
        pass(YOUTH);
        cards.writeIfDue(CLAIM);
        await().atMost(PATIENCE)
                .until(() ->
                        String.valueOf(server.command("INFO", "errorstats")).contains("errorstat_OOM:count=1"));
        assertThat(server.command("EXISTS", KEY)).isEqualTo(0L);
    }

    @Test
    void aCardIsReadAsItWasWrittenAndOtherTextsAreNone() {
        FactoryCard card = new FactoryCard("host\nname", 7, "", Instant.parse("2026-01-02T03:04:05Z"));
        assertThat(card.host()).isEqualTo("host?name");
        assertThat(FactoryCard.read(card.text())).contains(card);
        assertThat(FactoryCard.read(card.text() + "\nlater=x")).contains(card);
        assertThat(FactoryCard.read("")).isEmpty();
        assertThat(FactoryCard.read("pid=x\nstarted=y")).isEmpty();
    }
}
