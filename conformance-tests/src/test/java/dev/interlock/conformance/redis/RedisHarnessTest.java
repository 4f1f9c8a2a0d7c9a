// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.conformance.harness.Fault;
import dev.interlock.conformance.harness.FaultInjector;
import dev.interlock.conformance.internal.actor.Waits;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.spi.ServerNeeds;
import dev.interlock.spi.StrategyOption;
import dev.interlock.spi.StrategyProfile;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.RespConnection;
import dev.interlock.testservers.Signals;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.ConnectException;
import java.net.MalformedURLException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each fault has the documented effect on the backend that the system property names. */
@Tag("conformance")
class RedisHarnessTest {
    private static final int PATIENCE_MILLIS = 10_000;
    private static final int GLANCE_MILLIS = 100;
    private static final LockStrategyProvider PROVIDER = wanting(ServerNeeds.ONE);

    private static LockStrategyProvider wanting(ServerNeeds servers, StrategyOption... options) {
        return new LockStrategyProvider() {
            @Override
            public String name() {
                return "none";
            }

            @Override
            public StrategyProfile profile() {
                return new StrategyProfile("none", "", servers, Set.of(), Set.of());
            }

            @Override
            public List<StrategyOption> options() {
                return List.of(options);
            }

            @Override
            public DistributedLockFactory newFactory(LockConfig config) {
                throw new UnsupportedOperationException();
            }
        };
    }

    private final RedisHarness harness = RedisHarness.of(PROVIDER).open();
    private final FaultInjector faults = harness.faults().orElseThrow();
    private final String key = harness.config().keyPrefix() + "k";

    @AfterEach
    void close() {
        harness.close();
    }

    private RespConnection connect() throws IOException {
        return connect(harness.config().endpoints().get(0));
    }

    private static RespConnection connect(URI endpoint) throws IOException {
        return new RespConnection(endpoint.getHost(), endpoint.getPort(), PATIENCE_MILLIS);
    }

    private Object call(String... args) throws IOException {
        try (RespConnection connection = connect()) {
            return connection.call(args);
        }
    }

    private void inject(Fault fault) {
        assumeTrue(faults.supported().contains(fault), () -> "the backend is not ours: no " + fault);
        faults.inject(fault);
    }

    private void assertRefused() {
        assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);
    }

    @Test
    void aPausedServerAnswersToWhatItWasAskedAfterItIsHealed() throws Exception {
        try (RespConnection early = connect()) {
            early.call("PING");
            inject(Fault.PAUSE);

            early.timeout(GLANCE_MILLIS);
            assertThatThrownBy(() -> early.call("SET", key, "v")).isInstanceOf(SocketTimeoutException.class);
            try (RespConnection late = connect()) {
                late.timeout(GLANCE_MILLIS);
                assertThatThrownBy(() -> late.call("PING")).isInstanceOf(SocketTimeoutException.class);
            }
            faults.heal();

            early.timeout(PATIENCE_MILLIS);
            assertThat(early.read()).isEqualTo("OK");
        }
    }

    /** A shell resumes all processes of a job, and the system those of a process group that is orphaned. */
    @Test
    void aPausedServerThatSomebodyElseResumesAnswersNobodyUntilItIsHealed() throws Exception {
        assumeTrue(
                System.getProperty(RedisHarness.PROPERTY, RedisHarness.EMBEDDED).equals(RedisHarness.EMBEDDED),
                "only processes on this machine can be resumed by a signal");
        try (RespConnection client = connect()) {
            String info = String.valueOf(client.call("INFO", "server"));
            inject(Fault.PAUSE);
            client.timeout(GLANCE_MILLIS);
            assertThatThrownBy(() -> client.call("SET", key, "v")).isInstanceOf(SocketTimeoutException.class);

            Signals.goOn(number(info, "process_id"));
            try (RespConnection direct = new RespConnection("127.0.0.1", number(info, "tcp_port"), PATIENCE_MILLIS)) {
                Waits.eventually("the server goes on", () -> "v".equals(get(direct)));
            }
            assertThatThrownBy(client::read).isInstanceOf(SocketTimeoutException.class);
            faults.heal();

            client.timeout(PATIENCE_MILLIS);
            assertThat(client.read()).isEqualTo("OK");
        }
    }

    private Object get(RespConnection connection) {
        try {
            return connection.call("GET", key);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int number(String info, String field) {
        Matcher matcher = Pattern.compile(field + ":(\\d+)").matcher(info);
        assertThat(matcher.find()).isTrue();
        return Integer.parseInt(matcher.group(1));
    }

    @Test
    void aPartitionRefusesAndLosesNoData() throws Exception {
        call("SET", key, "v");
        try (RespConnection client = connect()) {
            client.call("PING");
            inject(Fault.PARTITION);

            assertThatThrownBy(() -> client.call("PING")).isInstanceOf(IOException.class);
            assertRefused();
        }
        faults.heal();

        assertThat(call("GET", key)).isEqualTo("v");
    }

    @Test
    void aStoppedServerRefusesAndComesBackWithItsData() throws Exception {
        call("SET", key, "v");
        try (RespConnection client = connect()) {
            client.call("PING");
            inject(Fault.STOP);

            assertThatThrownBy(() -> client.call("PING")).isInstanceOf(IOException.class);
            assertRefused();
        }
        faults.heal();

        assertThat(call("GET", key)).isEqualTo("v");
    }

    @Test
    void aKilledServerRefusesAndComesBackWithoutData() throws Exception {
        call("SET", key, "v");
        try (RespConnection client = connect()) {
            client.call("PING");
            inject(Fault.KILL);

            assertThatThrownBy(() -> client.call("PING")).isInstanceOf(IOException.class);
            assertRefused();
        }
        faults.heal();

        assertThat(call("GET", key)).isNull();
    }

    @Test
    void aPausedServerCanBeKilled() throws Exception {
        inject(Fault.PAUSE);
        inject(Fault.KILL);
        assertRefused();
        faults.heal();

        assertThat(call("PING")).isEqualTo("PONG");
    }

    @Test
    void aRestartWithDataKeepsItAndEndsConnections() throws Exception {
        call("SET", key, "v");
        try (RespConnection client = connect()) {
            client.call("PING");
            inject(Fault.RESTART_WITH_DATA);

            assertThatThrownBy(() -> client.call("PING")).isInstanceOf(IOException.class);
        }
        assertThat(call("GET", key)).isEqualTo("v");
    }

    @Test
    void aRestartWithoutDataLosesAlsoWhatWasSavedBefore() throws Exception {
        call("SET", key, "v");
        inject(Fault.RESTART_WITH_DATA);
        try (RespConnection client = connect()) {
            client.call("PING");
            inject(Fault.RESTART_WITHOUT_DATA);

            assertThatThrownBy(() -> client.call("PING")).isInstanceOf(IOException.class);
        }
        assertThat(call("GET", key)).isNull();
    }

    @Test
    void aFlushDeletesAllDataAndKeepsConnections() throws Exception {
        try (RespConnection client = connect()) {
            client.call("SET", key, "v");
            inject(Fault.FLUSH);

            assertThat(client.call("DBSIZE")).isEqualTo(0L);
        }
    }

    @Test
    void aScriptFlushForgetsScriptsAndNoData() throws Exception {
        try (RespConnection client = connect()) {
            client.call("SET", key, "v");
            String sha = String.valueOf(client.call("SCRIPT", "LOAD", "return 1"));
            inject(Fault.FORGET_PREPARED);

            assertThat(client.call("SCRIPT", "EXISTS", sha)).isEqualTo(List.of(0L));
            assertThat(client.call("GET", key)).isEqualTo("v");
        }
    }

    @Test
    void connectionsThatAreCutEndAndNewOnesAreAccepted() throws Exception {
        try (RespConnection client = connect()) {
            client.call("PING");
            inject(Fault.CUT_CONNECTIONS);

            assertThatThrownBy(() -> client.call("PING")).isInstanceOf(IOException.class);
        }
        assertThat(call("PING")).isEqualTo("PONG");
    }

    @Test
    void onlyConnectionsThatWaitForMessagesAreDropped() throws Exception {
        try (RespConnection client = connect();
                RespConnection listener = connect()) {
            client.call("PING");
            listener.call("SUBSCRIBE", "c");
            inject(Fault.CUT_NOTIFICATIONS);

            assertThatThrownBy(listener::read)
                    .isInstanceOf(IOException.class)
                    .isNotInstanceOf(SocketTimeoutException.class);
            assertThat(client.call("PING")).isEqualTo("PONG");
        }
    }

    @Test
    void answersAreDelayedUntilTheServerIsHealed() throws Exception {
        try (RespConnection client = connect()) {
            client.call("PING");
            inject(Fault.DELAY);

            long begin = System.nanoTime();
            assertThat(client.call("PING")).isEqualTo("PONG");
            assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(FaultInjector.DELAY.toNanos());

            faults.heal();
            long least = Long.MAX_VALUE;
            for (int i = 0; i < 100 && least >= FaultInjector.DELAY.toNanos(); i++) {
                begin = System.nanoTime();
                client.call("PING");
                least = Math.min(least, System.nanoTime() - begin);
            }
            assertThat(least).isLessThan(FaultInjector.DELAY.toNanos());
        }
    }

    @Test
    void theNextAnswerIsLostAfterTheRequestWasCarriedOut() throws Exception {
        try (RespConnection client = connect()) {
            client.call("PING");
            inject(Fault.LOSE_NEXT_REPLY);

            assertThatThrownBy(() -> client.call("SET", key, "v"))
                    .isInstanceOf(IOException.class)
                    .isNotInstanceOf(SocketTimeoutException.class);
        }
        assertThat(call("GET", key)).isEqualTo("v");
    }

    @ParameterizedTest
    @EnumSource
    void aServerThatHadAnyFaultIsFitForTheNextTest(Fault fault) throws Exception {
        call("SET", key, "v");
        inject(fault);
        harness.close();

        try (RedisHarness next = RedisHarness.of(PROVIDER).open();
                RespConnection client = connect(next.config().endpoints().get(0))) {
            assertThat(client.call("SET", next.config().keyPrefix() + "k", "v", "NX"))
                    .isEqualTo("OK");
        }
    }

    @Test
    void aStrategyGetsAsManyServersAsItsProfileSaysUnlessTheTestSaysOtherwise() {
        LockStrategyProvider provider = wanting(ServerNeeds.independent(2, 3));
        String four = "redis://127.0.0.1:1,redis://127.0.0.1:2,redis://127.0.0.1:3,redis://127.0.0.1:4";
        try (RedisHarness usual = RedisHarness.of(provider).open(four);
                RedisHarness two = RedisHarness.of(provider).servers(2).open(four)) {
            assertThat(usual.config().endpoints()).hasSize(3);
            assertThat(two.config().endpoints()).hasSize(2);
        }
        assertThatThrownBy(() -> RedisHarness.of(provider).open("redis://127.0.0.1:1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1 of the 3");
    }

    @Test
    void optionsHaveTheirValuesForTrialsUnlessTheTestSaysOtherwise() {
        LockStrategyProvider provider = wanting(
                ServerNeeds.ONE,
                new StrategyOption("cold-start", "wait", "wait or trust").inTrials("trust"),
                new StrategyOption("node-timeout", "auto", "how long to wait").inTrials("2s"),
                new StrategyOption("client", "interlock", "interlock or lettuce"));
        try (RedisHarness other =
                RedisHarness.of(provider).option("nodeTimeout", "5s").open("redis://127.0.0.1:1")) {
            assertThat(other.config().option("cold-start")).contains("trust");
            assertThat(other.config().option("node-timeout")).contains("5s");
            assertThat(other.config().option("client")).isEmpty();
        }
    }

    @Test
    void severalServersHaveDataOfTheirOwnAndFailTogether() throws Exception {
        String backend = System.getProperty(RedisHarness.PROPERTY, "embedded");
        assumeTrue(!backend.startsWith("redis://"), "the backend is not ours: it may have one server");
        try (RedisHarness three = RedisHarness.of(PROVIDER).servers(3).open()) {
            List<URI> endpoints = three.config().endpoints();
            assertThat(endpoints).hasSize(3).doesNotHaveDuplicates();
            for (URI endpoint : endpoints) {
                try (RespConnection client = connect(endpoint)) {
                    assertThat(client.call("SET", key, "v", "NX")).isEqualTo("OK");
                }
            }
            three.faults().orElseThrow().inject(Fault.KILL);
            for (URI endpoint : endpoints) {
                assertThatThrownBy(() -> connect(endpoint)).isInstanceOf(ConnectException.class);
            }
            three.faults().orElseThrow().heal();
            for (URI endpoint : endpoints) {
                try (RespConnection client = connect(endpoint)) {
                    assertThat(client.call("GET", key)).isNull();
                }
            }
        }
    }

    @Test
    void theConfigurationCarriesOptionsAndAPrefixOfItsOwn() {
        LockConfig config = harness.config();
        assertThat(config.keyPrefix()).startsWith("interlock-kit:");
        try (RedisHarness other =
                RedisHarness.of(PROVIDER).option("client", "lettuce").open()) {
            assertThat(other.config().option("client")).contains("lettuce");
            assertThat(other.config().keyPrefix()).isNotEqualTo(config.keyPrefix());
            assertThat(other.provider()).isSameAs(PROVIDER);
        }
    }

    @Test
    void nothingIsDoneToServersThatOthersUse() throws Exception {
        try (RedisServer server = RedisServer.start("--requirepass", "s3cret/");
                RedisHarness foreign =
                        RedisHarness.of(PROVIDER).open("redis://:s3cret%2F@127.0.0.1:" + server.port() + "/2")) {
            FaultInjector injector = foreign.faults().orElseThrow();
            server.command("SET", "theirs", "v");
            long pid = server.pid();

            for (Fault fault : Fault.values()) {
                if (injector.supported().contains(fault)) {
                    injector.inject(fault);
                    assertThat(server.command("PING")).isEqualTo("PONG");
                    injector.heal();
                } else {
                    assertThatThrownBy(() -> injector.inject(fault)).isInstanceOf(UnsupportedOperationException.class);
                }
            }

            URI endpoint = foreign.config().endpoints().get(0);
            assertThat(endpoint.getUserInfo()).isEqualTo(":s3cret/");
            assertThat(endpoint.getPath()).isEqualTo("/2");
            assertThat(endpoint.getPort()).isNotEqualTo(server.port());
            try (RespConnection client = connect(endpoint)) {
                assertThat(client.call("AUTH", "s3cret/")).isEqualTo("OK");
            }
            assertThat(server.command("GET", "theirs")).isEqualTo("v");
            assertThat(ProcessHandle.of(pid)).isPresent();
        }
    }

    @Test
    void aPausedForeignServerIsOneThatCannotBeHeard() throws Exception {
        try (RedisServer server = RedisServer.start();
                RedisHarness foreign = RedisHarness.of(PROVIDER).open(server.uri());
                RespConnection client = connect(foreign.config().endpoints().get(0))) {
            client.call("PING");
            foreign.faults().orElseThrow().inject(Fault.PAUSE);
            client.timeout(GLANCE_MILLIS);
            assertThatThrownBy(() -> client.call("SET", "k", "v")).isInstanceOf(SocketTimeoutException.class);
            assertThat(server.command("GET", "k")).isNull();
            foreign.faults().orElseThrow().heal();
            client.timeout(PATIENCE_MILLIS);
            assertThat(client.read()).isEqualTo("OK");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "docker", "http://:s3cret@127.0.0.1"})
    void aBackendThatIsNoneIsNamedUnlessItMayHoldAPassword(String value) {
        assertThatThrownBy(() -> RedisHarness.of(PROVIDER).open(value))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("interlock.redis")
                .hasMessageContaining("embedded, containers, sentinels, cluster, cluster-with-replicas, or redis://")
                .hasMessageNotContaining("s3cret");
    }

    @Test
    void tooFewServersAreAnError() {
        assertThatThrownBy(() -> RedisHarness.of(PROVIDER).servers(3).open("redis://127.0.0.1:1,redis://127.0.0.1:2"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("2 of the 3");
        assertThatThrownBy(() -> RedisHarness.of(PROVIDER).servers(0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void tlsIsAnError() {
        assertThatThrownBy(() -> RedisHarness.of(PROVIDER).open("rediss://127.0.0.1:1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("TLS");
    }

    @ParameterizedTest
    @CsvSource({"embedded, test-servers", "containers, testcontainers"})
    void aLibraryThatIsMissingIsNamed(String backend, String library) throws Exception {
        try (URLClassLoader without = classPathWithout(library)) {
            Class<?> type = without.loadClass(RedisHarness.class.getName());
            Class<?> providerType = without.loadClass(LockStrategyProvider.class.getName());
            Object provider = Proxy.newProxyInstance(
                    without,
                    new Class<?>[] {providerType},
                    (self, method, args) -> method.getReturnType() == List.class ? List.of() : null);
            Object builder = type.getMethod("of", providerType).invoke(null, provider);
            Method open = builder.getClass().getDeclaredMethod("open", String.class);
            open.setAccessible(true);

            assertThatThrownBy(() -> open.invoke(builder, backend))
                    .cause()
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(library);
        }
    }

    private static URLClassLoader classPathWithout(String library) throws MalformedURLException {
        List<URL> rest = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (!entry.contains(library)) {
                rest.add(Path.of(entry).toUri().toURL());
            }
        }
        return new URLClassLoader(rest.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }
}
