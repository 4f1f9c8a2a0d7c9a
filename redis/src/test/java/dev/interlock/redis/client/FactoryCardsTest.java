// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.LockConfig;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.redis.LockKeys;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.connect.RedisNodes;
import dev.interlock.redis.endpoint.RedisEndpoint;
import dev.interlock.redis.inspect.FactoryCard;
import dev.interlock.redis.inspect.FactoryCards;
import dev.interlock.redis.inspect.LockParty;
import dev.interlock.testservers.RedisServer;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a factory says of itself to operators, and when. */
class FactoryCardsTest {
    private static final int LONG = 100_000;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Claim CLAIM = new Claim("name", "secret-of-a-factory-7", PATIENCE, PATIENCE, 1);
    private static final String KEY = "interlock:factory:" + LockParty.factoryOf(CLAIM.token());

    private final RedisServer server = RedisServer.start();
    private final ShiftedEnvironment env = new ShiftedEnvironment();
    private final LockConfig config = LockConfig.of(server.uri()).toBuilder()
            .commandTimeout(PATIENCE)
            .option("client-name", "billing")
            .build();
    private final RedisNode node =
            RedisNodes.jedis(RedisEndpoint.of(config.endpoints().get(0)), config, env);

    @AfterEach
    void close() {
        node.close();
        server.close();
    }

    private FactoryCards cards(LockConfig config) {
        return new FactoryCards(node, new LockKeys(config.keyPrefix()), config, env);
    }

    private void putForward(int seconds) {
        env.putForward(TimeUnit.SECONDS.toNanos(seconds));
    }

    private FactoryCard awaitCard() {
        await().atMost(PATIENCE).until(() -> server.command("GET", KEY) != null);
        return FactoryCard.read(String.valueOf(server.command("GET", KEY))).orElseThrow();
    }

    @Test
    void aCardNamesTheProcessAndNoSecretAndEndsByItself() {
        FactoryCards cards = cards(config);
        putForward(30);
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
        // However slow the machine is, half a minute has not gone by, nor have twenty seconds later on.
        putForward(-LONG);
        cards.writeIfDue(CLAIM);
        putForward(LONG + 30);
        off.writeIfDue(CLAIM);
        cards.writeIfDue(CLAIM);
        awaitCard();
        server.command("DEL", KEY);
        putForward(-LONG);
        cards.writeIfDue(CLAIM);
        putForward(LONG + 20);
        cards.writeIfDue(CLAIM);
        awaitCard();
        String stats = String.valueOf(server.command("INFO", "commandstats"));
        assertThat(stats).contains("cmdstat_set:calls=2,");
    }

    @Test
    void aRefusedCardHarmsNobody() {
        FactoryCards cards = cards(config);
        server.command("CONFIG", "SET", "maxmemory", "1");
        putForward(30);
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
