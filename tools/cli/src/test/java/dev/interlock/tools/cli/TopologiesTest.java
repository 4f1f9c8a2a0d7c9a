// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LockConfig;
import dev.interlock.testservers.ClusterServers;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.SentinelServers;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Clusters and sentinels as what {@code --redis} names. */
class TopologiesTest {
    private static final String PASSWORD = "hunter2";

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... args) {
        return Main.run(new PrintWriter(out, true), new PrintWriter(err, true), args);
    }

    private String withPassword(String uri) {
        return uri.replace("://", "://default:" + PASSWORD + "@");
    }

    @Test
    @Tag("deep")
    void strategiesAreComparedOnAClusterAndThoseThatCannotRunThereAreLeftOutWithTheReason() {
        try (ClusterServers cluster = ClusterServers.start()) {
            String uri = withPassword(cluster.uri());

            assertThat(run(
                            "compare",
                            "--json",
                            "--only",
                            "speed",
                            "--strategy",
                            "redlock,redisson,set-nx-px,setnx-getset",
                            "--redis",
                            uri))
                    .as(() -> err.toString())
                    .isEqualTo(ExitCodes.OK);

            JsonObject report = JsonParser.parseString(out.toString()).getAsJsonObject();
            assertThat(report.getAsJsonArray("strategies"))
                    .extracting(
                            strategy -> strategy.getAsJsonObject().get("name").getAsString())
                    .containsExactly("redisson", "set-nx-px", "setnx-getset");
            assertThat(report.getAsJsonArray("strategies")).allSatisfy(strategy -> {
                JsonObject counter = strategy.getAsJsonObject().getAsJsonObject("guardedCounter");
                assertThat(counter.get("actual").getAsLong())
                        .isPositive()
                        .isEqualTo(counter.get("expected").getAsLong());
                assertThat(strategy.getAsJsonObject()
                                .getAsJsonObject("uncontended")
                                .get("commandsPerPair")
                                .getAsDouble())
                        .isGreaterThanOrEqualTo(2);
            });
            assertThat(report.getAsJsonArray("omitted"))
                    .extracting(JsonElement::getAsString)
                    .satisfiesOnlyOnce(text -> assertThat(text)
                            .startsWith("redlock was left out: it runs on 5 servers that are independent"));
            assertThat(out.toString() + err).contains("redis-cluster://***@").doesNotContain(PASSWORD);
        }
    }

    @Test
    @Tag("deep")
    void aRuleOfTheContractIsCheckedBehindSentinels() {
        try (SentinelServers servers = SentinelServers.start(1)) {
            assertThat(run(
                            "conformance",
                            "--strategy",
                            "redisson,set-nx-px,redlock",
                            "--rule",
                            "1.1,9.3",
                            "--redis",
                            withPassword(servers.uri())))
                    .as(() -> out.toString() + err)
                    .isEqualTo(ExitCodes.OK);
            assertThat(err.toString()).contains("redlock was left out: ").doesNotContain(PASSWORD);
            assertThat(out.toString())
                    .containsPattern("All +\\| 1 / 0 / 1 +\\| 1 / 0 / 1")
                    .doesNotContain(PASSWORD);
        }
    }

    @Test
    @Tag("deep")
    void locksAreListedAndReleasedOnAllNodesOfAClusterAndBehindSentinels() {
        try (ClusterServers cluster = ClusterServers.start();
                SentinelServers sentinels = SentinelServers.start(1)) {
            for (String uri : List.of(withPassword(cluster.uri()), withPassword(sentinels.uri()))) {
                try (DistributedLockFactory factory = factory(uri)) {
                    List<String> names = List.of("a", "b", "c", "d", "e", "f", "g", "h");
                    names.forEach(name -> factory.getLock(name).lock());
                    assertThat(listed(uri)).containsExactlyElementsOf(names);

                    assertThat(run("locks", "release", "c", "--force", "--yes", "--redis", uri))
                            .as(() -> err.toString())
                            .isEqualTo(ExitCodes.OK);
                    assertThat(listed(uri)).hasSize(names.size() - 1).doesNotContain("c");
                }
            }
            assertThat(out.toString() + err).doesNotContain(PASSWORD);
        }
    }

    @Test
    @Tag("deep")
    void locksOfAPrimaryWithAReplicaAreListedOnceAndReleasedOnThePrimary() {
        try (RedisServer primary = RedisServer.start("--repl-diskless-sync-delay", "0");
                RedisServer replica = RedisServer.start("--replicaof", "127.0.0.1", Integer.toString(primary.port()))) {
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> String.valueOf(replica.command("INFO", "replication"))
                            .contains("master_link_status:up"));
            String uri = replica.uri() + "," + primary.uri();
            try (DistributedLockFactory factory = factory(uri)) {
                factory.getLock("a").lock();
                assertThat(listed(uri)).containsExactly("a");
                assertThat(run("locks", "release", "a", "--force", "--yes", "--redis", uri))
                        .as(() -> err.toString())
                        .isEqualTo(ExitCodes.OK);
                assertThat(listed(uri)).isEmpty();
            }
        }
    }

    private static DistributedLockFactory factory(String uri) {
        // A busy machine takes long to connect for the first time.
        return DistributedLocks.getInstance(
                "set-nx-px",
                LockConfig.of(uri).toBuilder()
                        .commandTimeout(Duration.ofMinutes(1))
                        .build());
    }

    private List<String> listed(String uri) {
        out.getBuffer().setLength(0);
        assertThat(run("locks", "list", "--json", "--redis", uri))
                .as(() -> err.toString())
                .isEqualTo(ExitCodes.OK);
        List<String> names = new ArrayList<>();
        JsonParser.parseString(out.toString())
                .getAsJsonObject()
                .getAsJsonArray("locks")
                .forEach(lock -> names.add(lock.getAsJsonObject().get("name").getAsString()));
        return names;
    }

    @Test
    void aStrategyThatRunsOnIndependentServersCannotBeComparedOnAClusterAlone() {
        assertThat(run("compare", "--strategy", "redlock", "--redis", "redis-cluster://:hunter2@localhost:1"))
                .isEqualTo(ExitCodes.USAGE);
        assertThat(err.toString())
                .contains("redlock was left out: it runs on 5 servers that are independent of each other")
                .doesNotContain(PASSWORD);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "redis-cluster://:hunter2@127.0.0.1:1,127.0.0.1:2 | redis://***@127.0.0.1:1 cannot be used: | redis://***@127.0.0.1:2 cannot be used: ",
                "redis-sentinel://:hunter2@127.0.0.1:1,127.0.0.1:2/0#main | redis://127.0.0.1:1 cannot be used: | redis://127.0.0.1:2 cannot be used: ",
            })
    void whereNoServerAnswersEachIsNamedWithoutAPassword(String uri, String first, String second) {
        assertThat(run("compare", "--strategy", "set-nx-px", "--redis", uri)).isEqualTo(ExitCodes.FAILED);
        assertThat(err.toString()).contains(first, second).doesNotContain(PASSWORD, "\tat ");
    }
}
