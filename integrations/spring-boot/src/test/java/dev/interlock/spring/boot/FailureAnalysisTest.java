// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLockFactory;
import dev.interlock.spring.Locked;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.io.support.SpringFactoriesLoader;

/** A start that fails says what to do. */
class FailureAnalysisTest {
    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    InterlockAutoConfiguration.class,
                    NamedLockFactoriesAutoConfiguration.class,
                    LockedAutoConfiguration.class,
                    SslAutoConfiguration.class))
            .withPropertyValues("interlock.strategy=set-nx-px", "interlock.endpoints=redis://localhost:1");

    private static void assertAnalysis(ApplicationContextRunner application, String description, String action) {
        application.run(context -> {
            assertThat(context).hasFailed();
            FailureAnalysis analysis = analyze(context.getStartupFailure());
            assertThat(analysis).isNotNull();
            assertThat(analysis.getDescription()).contains(description);
            assertThat(analysis.getAction()).contains(action);
        });
    }

    /** As Spring Boot does: the first analyzer that knows the failure. */
    private static FailureAnalysis analyze(Throwable failure) {
        return SpringFactoriesLoader.forDefaultResourceLocation()
                .load(
                        FailureAnalyzer.class,
                        SpringFactoriesLoader.FailureHandler.logging(
                                org.apache.commons.logging.LogFactory.getLog(FailureAnalysisTest.class)))
                .stream()
                .filter(analyzer -> analyzer.getClass().getPackageName().equals("dev.interlock.spring.boot"))
                .map(analyzer -> analyzer.analyze(failure))
                .filter(analysis -> analysis != null)
                .findFirst()
                .orElse(null);
    }

    @Test
    void noServer() {
        assertAnalysis(
                application.withPropertyValues("interlock.endpoints="),
                "the lock factory \"distributedLockFactory\" cannot be made: no server is named",
                "spring-boot-starter-data-redis");
    }

    @Test
    void noServersForAQuorum() {
        assertAnalysis(
                application.withPropertyValues("interlock.endpoints=", "interlock.strategy=redlock"),
                "no server is named",
                "5 servers that are independent");
    }

    @Test
    void noStrategyAmongSeveral() {
        assertAnalysis(
                application.withPropertyValues("interlock.strategy="),
                "no strategy is chosen, and on the class path are redisson, redlock, set-nx-px, setnx-getset",
                "Set interlock.strategy");
    }

    @Test
    void anUnknownStrategy() {
        assertAnalysis(
                application.withPropertyValues("interlock.factories.reports.strategy=set-nx"),
                "\"reports\" cannot be made: there is no strategy \"set-nx\"",
                "interlock-strategy-set-nx");
    }

    @Test
    void anUnknownOption() {
        assertAnalysis(
                application.withPropertyValues("interlock.option.fence=no"), "has no option \"fence\"", "interlock.*");
    }

    @Test
    void anEndpointThatCannotBeUsed() {
        assertAnalysis(
                application.withPropertyValues("interlock.endpoints=redis://user:sec%ret@localhost"),
                "cannot be made",
                "interlock.*");
        application
                .withPropertyValues("interlock.endpoints=redis://user:sec%ret@localhost")
                .run(context -> assertThat(analyze(context.getStartupFailure()).getDescription())
                        .doesNotContain("sec"));
    }

    @Test
    void anUnknownClient() {
        assertAnalysis(
                application.withPropertyValues("interlock.client-bean=jedis"),
                "there is no bean \"jedis\"",
                "interlock.client-bean");
    }

    @Test
    void aClientThatTheStrategyDoesNotTake() {
        assertAnalysis(
                application.withBean("client", StringBuilder.class).withPropertyValues("interlock.client-bean=client"),
                "takes no client of the type java.lang.StringBuilder",
                "interlock.client-bean");
    }

    @Test
    void anUnknownBundle() {
        assertAnalysis(
                application.withPropertyValues("interlock.ssl.bundle=locks"),
                "SSL bundle \"locks\"",
                "spring.ssl.bundle");
    }

    @Test
    void certificatesThatTheStrategyDoesNotTake() {
        assertAnalysis(
                application.withPropertyValues(
                        "interlock.strategy=redisson",
                        "interlock.endpoints=rediss://localhost",
                        "interlock.ssl.bundle=locks",
                        "spring.ssl.bundle.jks.locks.protocol=TLS"),
                "the strategy redisson takes no SSL bundle",
                "interlock.client-bean");
    }

    @Test
    void aClusterForTheStrategyOfIndependentServers() {
        assertAnalysis(
                application.withPropertyValues(
                        "interlock.strategy=redlock", "interlock.endpoints=redis-cluster://localhost"),
                "cannot be made",
                "interlock.*");
    }

    @Test
    void aMethodThatCannotBeLocked() {
        assertAnalysis(
                application.withBean(Unnamed.class),
                "@Locked on " + Unnamed.class.getName() + ".work",
                "Name the lock");
    }

    @Test
    void noneOfThisIfTheFactoryIsMade() {
        application.run(context -> assertThat(context).hasSingleBean(DistributedLockFactory.class));
    }

    static class Unnamed {
        @Locked
        void work() {}
    }
}
