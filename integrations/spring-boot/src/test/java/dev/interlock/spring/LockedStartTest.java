// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Lease;
import dev.interlock.spring.boot.InterlockAutoConfiguration;
import dev.interlock.spring.boot.LockedAutoConfiguration;
import dev.interlock.spring.boot.NamedLockFactoriesAutoConfiguration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.NestedExceptionUtils;
import reactor.core.publisher.Mono;

/** Errors in {@link Locked} methods are reported when the application starts. Nothing here needs a server. */
@Tag("both-legs")
class LockedStartTest {
    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    InterlockAutoConfiguration.class,
                    NamedLockFactoriesAutoConfiguration.class,
                    LockedAutoConfiguration.class))
            .withPropertyValues("interlock.strategy=set-nx-px", "interlock.endpoints=redis://localhost:1");

    private void assertRefused(Class<?> bean, String problem, String action) {
        assertRefused(application, bean, problem, action);
    }

    private static void assertRefused(
            ApplicationContextRunner application, Class<?> bean, String problem, String action) {
        application.withBean(bean).run(context -> {
            assertThat(context).hasFailed();
            Throwable root = NestedExceptionUtils.getMostSpecificCause(context.getStartupFailure());
            assertThat(root).isInstanceOfSatisfying(InvalidLockedMethodException.class, failure -> {
                assertThat(failure)
                        .hasMessageContaining(bean.getName() + ".work")
                        .hasMessageContaining(problem);
                assertThat(failure.action()).contains(action);
            });
        });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "NoName                | no name                          | Name the lock",
                "UnreadableName        | cannot be read                   | #{…}",
                "UnknownParameter      | #order, which is no parameter    | #id",
                "NameWithoutExpression | #id outside of an expression     | Write #{#id}",
                "BadWait               | waitTime \"soon\" is no duration | 500ms",
                "NegativeWait          | is negative                      | forever",
                "ShortLease            | lease \"1ms\" cannot be used     | 10ms",
                "SkippedPrimitive      | no int to return                 | Optional",
                "SkipAndFallback       | names a fallback                 | Leave one",
                "MissingFallback       | no method instead                | Add it",
                "WrongFallback         | returns java.lang.Integer        | java.lang.String",
                "ReturnsFuture         | while the work goes on           | CompletionStage",
                "ReturnsMono           | while the work goes on           | acquireAsync",
                "ReturnsPublisher      | while the work goes on           | acquireAsync",
                "ReturnsOddStage       | no stage that ends               | CompletableFuture",
                "TooManyLeases         | more parameters                  | one such parameter",
                "TextToken             | java.lang.String                 | OptionalLong",
                "Private               | it is private                    | overridden",
                "Static                | it is static                     | overridden",
                "Final                 | it is final                      | overridden",
                "UnknownFactory        | named \"reports\"                | interlock.factories.reports",
            })
    void aMethodThatCannotBeLockedAsItSaysEndsTheStart(String bean, String problem, String action)
            throws ClassNotFoundException {
        assertRefused(Class.forName(LockedStartTest.class.getName() + "$" + bean), problem, action);
    }

    @Test
    void aFencingTokenThatTheFactoryDoesNotDrawEndsTheStart() {
        application.withBean(Fenced.class).run(context -> assertThat(context).hasNotFailed());
        assertRefused(
                application.withPropertyValues("interlock.option.fencing=false"),
                Fenced.class,
                "set-nx-px draws none",
                "OptionalLong");
    }

    @Test
    void aLeaseThatTheFactoryRefusesEndsTheStart() {
        assertRefused(application.withPropertyValues("interlock.max-hold=1m"), LongLease.class, "maxHold", "max-hold");
    }

    @Test
    void withoutTheAnnotationSwitchedOnNothingIsExamined() {
        application
                .withPropertyValues("interlock.locked.enabled=false")
                .withBean(NoName.class)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(LockedAdvisor.class));
    }

    static class NoName {
        @Locked
        void work() {}
    }

    static class UnreadableName {
        @Locked("order:#{#id")
        void work(String id) {}
    }

    static class UnknownParameter {
        @Locked("order:#{#order.id}")
        void work(String id) {}
    }

    static class NameWithoutExpression {
        @Locked("#id")
        void work(String id) {}
    }

    static class BadWait {
        @Locked(value = "a", waitTime = "soon")
        void work() {}
    }

    static class NegativeWait {
        @Locked(value = "a", waitTime = "-1s")
        void work() {}
    }

    static class ShortLease {
        @Locked(value = "a", lease = "1ms")
        void work() {}
    }

    static class SkippedPrimitive {
        @Locked(value = "a", onTaken = Locked.OnTaken.SKIP)
        int work() {
            return 1;
        }
    }

    static class SkipAndFallback {
        @Locked(value = "a", onTaken = Locked.OnTaken.SKIP, fallback = "instead")
        void work() {}

        void instead() {}
    }

    static class MissingFallback {
        @Locked(value = "a", fallback = "instead")
        void work(String id) {}

        void instead(int id) {}
    }

    static class WrongFallback {
        @Locked(value = "a", fallback = "instead")
        String work() {
            return "";
        }

        Integer instead() {
            return 1;
        }
    }

    static class ReturnsFuture {
        @Locked("a")
        Future<String> work() {
            return CompletableFuture.completedFuture("");
        }
    }

    static class ReturnsMono {
        @Locked("a")
        Mono<String> work() {
            return Mono.just("");
        }
    }

    static class ReturnsPublisher {
        @Locked("a")
        Flow.Publisher<String> work() {
            return subscriber -> {};
        }
    }

    static final class OddStage extends CompletableFuture<String> {}

    static class ReturnsOddStage {
        @Locked("a")
        OddStage work() {
            return new OddStage();
        }
    }

    static class TooManyLeases {
        @Locked("a")
        void work(Lease first, Lease second) {}
    }

    static class TextToken {
        @Locked("a")
        void work(@FencingToken String token) {}
    }

    static class Private {
        @Locked("a")
        private void work() {}
    }

    static class Static {
        @Locked("a")
        static void work() {}
    }

    static class Final {
        @Locked("a")
        final void work() {}
    }

    static class UnknownFactory {
        @Locked(value = "a", factory = "reports")
        void work() {}
    }

    static class Fenced {
        @Locked("a")
        void work(@FencingToken long token) {}
    }

    static class LongLease {
        @Locked(value = "a", lease = "2m")
        void work() {}
    }
}
