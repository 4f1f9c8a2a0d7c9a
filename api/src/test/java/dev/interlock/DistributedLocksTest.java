// SPDX-License-Identifier: Apache-2.0
package dev.interlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.interlock.spi.LockStrategyProvider;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import java.util.ServiceConfigurationError;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DistributedLocksTest {
    private static final LockConfig CONFIG = LockConfig.of("redis://localhost");

    private final ClassLoader before = Thread.currentThread().getContextClassLoader();
    private TestClassPath path;

    @BeforeEach
    void makeClassPath() throws IOException {
        path = new TestClassPath();
        Thread.currentThread().setContextClassLoader(path.loader());
    }

    @AfterEach
    void deleteClassPath() throws IOException {
        Thread.currentThread().setContextClassLoader(before);
        path.close();
    }

    @Test
    void installedStrategiesAreFoundByTheContextClassLoaderInTheOrderOfTheirNames() throws IOException {
        install(TestStrategyProvider.class, TestStrategyProvider.First.class);

        assertThat(DistributedLocks.strategies())
                .extracting(LockStrategyProvider::name)
                .containsExactly("a-first", "test-strategy");
        assertThat(DistributedLocks.strategies()).isUnmodifiable();
        assertThat(DistributedLocks.getInstance("test-strategy", CONFIG))
                .isEqualTo(new TestStrategyProvider.Factory("test-strategy", CONFIG));
    }

    @Test
    void strategiesBesideTheApiAreFoundWhereTheContextClassLoaderSeesNone() throws Exception {
        announce(path, TestStrategyProvider.class.getName());
        try (URLClassLoader bundle = bundle()) {
            for (ClassLoader context : new ClassLoader[] {ClassLoader.getPlatformClassLoader(), null, bundle}) {
                Thread.currentThread().setContextClassLoader(context);
                assertThat(strategiesOf(bundle)).containsExactly(TestStrategyProvider.class.getName());
            }
        }
    }

    @Test
    void strategiesOfTheContextClassLoaderAndThoseBesideTheApiAreInstalledTogether() throws Exception {
        announce(path, TestStrategyProvider.class.getName());
        try (URLClassLoader bundle = bundle();
                TestClassPath application = new TestClassPath()) {
            announce(application, TestStrategyProvider.class.getName(), TestStrategyProvider.First.class.getName());
            try (URLClassLoader context = new URLClassLoader(new URL[] {application.url("")}, bundle)) {
                Thread.currentThread().setContextClassLoader(context);
                assertThat(strategiesOf(bundle))
                        .containsExactly(
                                TestStrategyProvider.First.class.getName(), TestStrategyProvider.class.getName());
            }
        }
    }

    /** A class loader with an API of its own, and with what is announced in the path of this test. */
    private URLClassLoader bundle() {
        return new URLClassLoader(
                new URL[] {path.url(""), location(DistributedLocks.class), location(TestStrategyProvider.class)},
                ClassLoader.getPlatformClassLoader());
    }

    private static URL location(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation();
    }

    private static List<String> strategiesOf(ClassLoader bundle) throws Exception {
        List<?> found = (List<?>) bundle.loadClass(DistributedLocks.class.getName())
                .getMethod("strategies")
                .invoke(null);
        return found.stream().map(provider -> provider.getClass().getName()).toList();
    }

    @Test
    void nothingIsRememberedBetweenCalls() throws IOException {
        assertThat(DistributedLocks.strategies()).isEmpty();
        try (TestClassPath later = new TestClassPath()) {
            announce(later, TestStrategyProvider.class.getName());
            Thread.currentThread().setContextClassLoader(later.loader());
            assertThat(DistributedLocks.strategies()).hasSize(1);
        }
    }

    @Test
    void theConfigurationCanNameTheStrategy() throws IOException {
        install(TestStrategyProvider.class);
        LockConfig config = CONFIG.toBuilder().strategy("test-strategy").build();

        assertThat(DistributedLocks.getInstance(config).strategy()).isEqualTo("test-strategy");
        assertThat(DistributedLocks.getInstance("test-strategy", config).strategy())
                .isEqualTo("test-strategy");
    }

    @Test
    void aConfigurationThatNamesNoStrategyIsToldWhatIsInstalled() throws IOException {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DistributedLocks.getInstance(CONFIG))
                .withMessage("the configuration names no strategy: set interlock.strategy, or "
                        + "LockConfig.builder().strategy(…); installed: none");

        install(TestStrategyProvider.class, TestStrategyProvider.First.class);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DistributedLocks.getInstance(CONFIG))
                .withMessageEndingWith("installed: a-first, test-strategy");
    }

    @Test
    void aConfigurationForAnotherStrategyIsRefused() throws IOException {
        install(TestStrategyProvider.class);
        LockConfig config = CONFIG.toBuilder().strategy("redlock").build();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> DistributedLocks.getInstance("test-strategy", config))
                .withMessage("the configuration is for strategy \"redlock\", not for \"test-strategy\": "
                        + "drop one of the two names");
    }

    @Test
    void anExplicitProviderNeedsNoDiscovery() {
        assertThat(DistributedLocks.getInstance(new TestStrategyProvider("local"), CONFIG))
                .isEqualTo(new TestStrategyProvider.Factory("local", CONFIG));
    }

    @ParameterizedTest
    @ValueSource(strings = {"redlock", "Test-Strategy", " test-strategy", ""})
    void anUnknownStrategyListsTheInstalledOnes(String name) throws IOException {
        install(TestStrategyProvider.class, TestStrategyProvider.First.class);

        assertThatExceptionOfType(NoSuchLockStrategyException.class)
                .isThrownBy(() -> DistributedLocks.getInstance(name, CONFIG))
                .withMessage("no lock strategy \"" + name + "\" is installed; installed: a-first, test-strategy")
                .satisfies(thrown -> assertThat(thrown.strategy()).isEqualTo(name));
    }

    @Test
    void whereNoStrategyIsInstalledTheErrorSaysWhatToAdd() {
        assertThatExceptionOfType(NoSuchLockStrategyException.class)
                .isThrownBy(() -> DistributedLocks.getInstance("redlock", CONFIG))
                .withMessage("no lock strategy \"redlock\" is installed; none is: add the artifact of one, "
                        + "dev.interlock:interlock-strategy-redlock perhaps, to the class path or module path");
    }

    @Test
    void anUnknownOptionListsTheKnownOnes() {
        LockConfig config = CONFIG.toBuilder().option("drfit", "1").build();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> DistributedLocks.getInstance(new TestStrategyProvider(), config))
                .withMessage("strategy \"test-strategy\" has no option \"drfit\"; it has: drift-factor");
    }

    @Test
    void aKnownOptionIsAcceptedHoweverItIsSpelled() {
        LockConfig config = CONFIG.toBuilder().option("DRIFT.factor", "1").build();

        assertThat(DistributedLocks.getInstance(new TestStrategyProvider(), config))
                .isEqualTo(new TestStrategyProvider.Factory("test-strategy", config));
    }

    @Test
    void twoProvidersOfOneNameAreNamedWithTheirClassesAndJars() throws IOException {
        install(TestStrategyProvider.class, TestStrategyProvider.Twin.class);
        String jar = TestStrategyProvider.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toString();

        assertThatIllegalStateException()
                .isThrownBy(() -> DistributedLocks.getInstance("test-strategy", CONFIG))
                .withMessage("two lock strategies are named \"test-strategy\": " + TestStrategyProvider.class.getName()
                        + " in " + jar + " and " + TestStrategyProvider.Twin.class.getName() + " in " + jar
                        + "; remove one of the two jars");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "Redlock", "red_lock", "-redlock", "redlock-", "red--lock", "1redlock", "réd"})
    void aProviderWithAMalformedNameIsNamedWithItsClass(String name) {
        assertThatIllegalStateException()
                .isThrownBy(() -> DistributedLocks.checked(
                        List.of(new TestStrategyProvider("fine"), new TestStrategyProvider(name))))
                .withMessageStartingWith("the lock strategy " + TestStrategyProvider.class.getName() + " in ")
                .withMessageEndingWith("is named \"" + name + "\", which is not lower-kebab case");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "redlock", "set-nx-px", "redlock2", "v-2"})
    void lowerKebabNamesAreAccepted(String name) {
        assertThat(DistributedLocks.checked(List.of(new TestStrategyProvider(name))))
                .hasSize(1);
    }

    @Test
    void aProviderThatIsAnnouncedButMissingIsNamed() throws IOException {
        announce(path, "com.example.Missing");

        assertThatExceptionOfType(ServiceConfigurationError.class)
                .isThrownBy(DistributedLocks::strategies)
                .withMessageContaining("com.example.Missing");
    }

    @Test
    void nullIsRefusedBeforeAnythingElseHappens() {
        assertThatNullPointerException().isThrownBy(() -> DistributedLocks.getInstance("redlock", null));
        assertThatNullPointerException().isThrownBy(() -> DistributedLocks.getInstance((String) null, CONFIG));
        assertThatNullPointerException()
                .isThrownBy(() -> DistributedLocks.getInstance((LockStrategyProvider) null, CONFIG));
        assertThatNullPointerException()
                .isThrownBy(() -> DistributedLocks.getInstance(new TestStrategyProvider(), null));
        assertThatNullPointerException().isThrownBy(() -> DistributedLocks.getInstance(null));
    }

    private void install(Class<?>... providers) throws IOException {
        announce(path, List.of(providers).stream().map(Class::getName).toArray(String[]::new));
    }

    private static void announce(TestClassPath path, String... providers) throws IOException {
        path.with("META-INF/services/" + LockStrategyProvider.class.getName(), String.join("\n", providers));
    }
}
