// SPDX-License-Identifier: Apache-2.0
package com.example.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.interlock.testservers.RedisServer;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Two nodes of the application, over one Redis server and one PostgreSQL server. */
@Tag("deep")
class TwoNodesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    /** A schedule that does not come during a test. */
    private static final String NEVER = "0 0 0 29 2 *";

    private static RedisServer redis;
    private static EmbeddedPostgres postgres;

    private final List<ConfigurableApplicationContext> nodes = new ArrayList<>();

    /** PostgreSQL refuses to run as root, unless it is the root of a user namespace. */
    private static boolean mayRun() throws Exception {
        return !System.getProperty("user.name").equals("root")
                || new ProcessBuilder("unshare", "-U", "true").start().waitFor() == 0;
    }

    @BeforeAll
    static void start() throws Exception {
        assumeTrue(mayRun(), "absent: postgresql: it does not run as root, and this machine allows no user namespaces");
        redis = RedisServer.start();
        postgres = EmbeddedPostgres.start();
    }

    @AfterAll
    static void stop() throws IOException {
        if (postgres != null) {
            postgres.close();
            redis.close();
        }
    }

    @AfterEach
    void close() {
        nodes.forEach(ConfigurableApplicationContext::close);
    }

    /** Answers only when the test says so. Has no annotation, so that the nodes do not find it by themselves. */
    static class LateRates {
        static final CountDownLatch ASKED = new CountDownLatch(1);
        static final CountDownLatch ANSWER = new CountDownLatch(1);

        @Bean
        @Primary
        ExchangeRates lateRates() {
            return new ExchangeRates() {
                @Override
                public BigDecimal rate(String currency) {
                    ASKED.countDown();
                    try {
                        ANSWER.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                    return super.rate(currency);
                }
            };
        }
    }

    private ConfigurableApplicationContext node(String name, String cron, Class<?>... sources) {
        ConfigurableApplicationContext node = new SpringApplicationBuilder(LedgerApplication.class)
                .sources(sources)
                .run(
                        "--ledger.node=" + name,
                        "--ledger.statement.cron=" + cron,
                        "--spring.jmx.enabled=false",
                        "--spring.main.web-application-type=none",
                        "--spring.data.redis.port=" + redis.port(),
                        "--interlock.command-timeout=60s",
                        "--spring.datasource.url=" + postgres.getJdbcUrl("postgres", "postgres"));
        nodes.add(node);
        return node;
    }

    @Test
    void aLateWriterIsRefusedByTheTableAndItsTransactionIsRolledBack() throws Exception {
        ConfigurableApplicationContext paused = node("paused", NEVER, LateRates.class);
        ConfigurableApplicationContext other = node("other", NEVER);
        JdbcClient database = other.getBean(JdbcClient.class);
        database.sql("INSERT INTO account (id, balance) VALUES (1, 100)").update();

        FutureTask<BigDecimal> late =
                new FutureTask<>(() -> paused.getBean(Accounts.class).deposit(1, BigDecimal.TEN, "EUR", 0));
        new Thread(late, "late").start();
        assertThat(LateRates.ASKED.await(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
        // Has the effect that the end of a lease has on a node that stands still.
        redis.command("DEL", "interlock:{account:1}");
        assertThat(other.getBean(Accounts.class).deposit(1, BigDecimal.ONE, "EUR", 0))
                .isEqualByComparingTo("101");
        LateRates.ANSWER.countDown();

        assertThatThrownBy(() -> late.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasRootCauseInstanceOf(StaleTokenException.class);
        assertThat(database.sql("SELECT balance FROM account WHERE id = 1")
                        .query(BigDecimal.class)
                        .single())
                .isEqualByComparingTo("101");
    }

    @Test
    void aJobRunsOnceForEachTickAlsoWhenANodeHasGone() {
        ConfigurableApplicationContext first = node("first", "* * * * * *");
        JdbcClient database = node("second", "* * * * * *").getBean(JdbcClient.class);
        // Its primary key would refuse the second run of a tick, and the scheduler would log it.
        await().atMost(PATIENCE).until(() -> runs(database) >= 4);
        first.close();
        long before = runs(database);
        await().atMost(PATIENCE).until(() -> runs(database) >= before + 2);
        assertThat(database.sql("SELECT node FROM statement_run ORDER BY tick DESC LIMIT 1")
                        .query(String.class)
                        .single())
                .isEqualTo("second");
    }

    private static long runs(JdbcClient database) {
        return database.sql("SELECT count(*) FROM statement_run")
                .query(Long.class)
                .single();
    }
}
