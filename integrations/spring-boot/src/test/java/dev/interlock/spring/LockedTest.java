// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring;

import static dev.interlock.spring.TestRedis.isHeld;
import static dev.interlock.spring.TestRedis.name;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.interlock.DistributedLockFactory;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockHandle;
import dev.interlock.spring.boot.InterlockAutoConfiguration;
import dev.interlock.spring.boot.LockedAutoConfiguration;
import dev.interlock.testservers.CommandMonitor;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.AliasFor;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** Methods with {@link Locked}, in one application over one server. */
@Tag("both-legs")
@SuppressWarnings("try")
class LockedTest {
    private static final long PATIENCE = 20;

    private static ConfigurableApplicationContext context;
    private static DistributedLockFactory others;

    @BeforeAll
    static void startApplication() {
        context = new SpringApplicationBuilder(Application.class)
                .properties(
                        "spring.main.web-application-type=none",
                        "spring.main.banner-mode=off",
                        "spring.data.redis.port=" + TestRedis.SERVER.port(),
                        "interlock.strategy=set-nx-px",
                        "interlock.command-timeout=30s",
                        "interlock.factories.reports.key-prefix=reports",
                        "app.region=north")
                .run();
        others = dev.interlock.DistributedLocks.getInstance(
                "set-nx-px", dev.interlock.LockConfig.of(TestRedis.SERVER.uri()));
    }

    @AfterAll
    static void stopApplication() {
        context.close();
        others.close();
    }

    private static Orders orders() {
        return context.getBean(Orders.class);
    }

    /** Holds a lock as another machine would. */
    private static LockHandle taken(String name) {
        return others.getLock(name).tryAcquire().orElseThrow();
    }

    @Test
    void theLockIsHeldWhileTheMethodRunsAndFreeAfterwards() {
        String id = name("a");

        assertThat(orders().run(id, () -> isHeld("order:" + id))).isEqualTo(true);
        assertThat(isHeld("order:" + id)).isFalse();
    }

    @Test
    void theLockIsFreeAfterTheMethodHasThrown() {
        String id = name("a");

        assertThatThrownBy(() -> orders().run(id, () -> {
                    assertThat(isHeld("order:" + id)).isTrue();
                    throw new IllegalStateException("out of stock");
                }))
                .isExactlyInstanceOf(IllegalStateException.class)
                .hasMessage("out of stock");
        assertThat(isHeld("order:" + id)).isFalse();
    }

    @Test
    void anotherHolderIsWaitedForAndThenReportedByAnException() {
        String id = name("a");
        List<String> ran = new ArrayList<>();

        try (LockHandle other = taken("order:" + id)) {
            LockTakenException taken =
                    catchThrowableOfType(LockTakenException.class, () -> orders().waitAMoment(id, () -> ran.add(id)));
            assertThat(taken).hasMessageContaining("order:" + id).hasMessageContaining("100 ms");
            assertThat(taken.lockName()).isEqualTo("order:" + id);
        }
        assertThat(ran).isEmpty();
        orders().run(id, () -> ran.add(id));
        assertThat(ran).containsExactly(id);
    }

    @Test
    void aMethodCanWaitAsLongAsItTakes() throws Exception {
        String id = name("a");
        LockHandle other = taken("patient:" + id);

        CompletableFuture<String> call = CompletableFuture.supplyAsync(() -> orders().patient(id));
        assertThatThrownBy(() -> call.get(300, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        other.close();
        assertThat(call.get(PATIENCE, TimeUnit.SECONDS)).isEqualTo(id);
    }

    @Test
    void aThreadThatIsInterruptedWhileItWaitsIsToldAndStaysInterrupted() throws Exception {
        String id = name("a");
        CompletableFuture<Throwable> outcome = new CompletableFuture<>();
        try (LockHandle other = taken("patient:" + id)) {
            Thread waiter = new Thread(() -> {
                Throwable failure = catchThrowable(() -> orders().patient(id));
                outcome.complete(Thread.currentThread().isInterrupted() ? failure : null);
            });
            waiter.start();
            waiter.interrupt();
            assertThat(outcome.get(PATIENCE, TimeUnit.SECONDS))
                    .isInstanceOf(LockWaitInterruptedException.class)
                    .hasMessageContaining("patient:" + id);
        }
    }

    @Test
    void aCallThatIsSkippedReturnsNothing() {
        String id = name("a");
        try (LockHandle other = taken("skipped:" + id)) {
            assertThat(orders().skipped(id)).isNull();
            assertThat(orders().skippedOptional(id)).isEmpty();
            assertThat(orders().skippedStage(id)).isCompletedWithValue(Optional.empty());
        }
        assertThat(orders().skipped(id)).isEqualTo(id);
    }

    @Test
    void aFallbackIsCalledWithTheArgumentsAndTheReason() {
        String id = name("a");
        try (LockHandle other = taken("fallback:" + id)) {
            assertThat(orders().withFallback(id)).isEqualTo("instead of " + id);
            assertThat(orders().withReason(id)).isEqualTo("fallback:" + id);
        }
        assertThat(orders().withFallback(id)).isEqualTo(id);
    }

    @Test
    void whatAFallbackThrowsReachesTheCallerAsItIs() {
        String id = name("a");
        try (LockHandle other = taken("fallback:" + id)) {
            assertThatThrownBy(() -> orders().withFailingFallback(id))
                    .isExactlyInstanceOf(UnsupportedOperationException.class);
        }
    }

    @Test
    void theNameIsMadeOfParametersBeansTheTargetAndProperties() {
        String id = name("a");
        assertThat(orders().named(new Order(id, 7))).isTrue();
        try (LockHandle other = taken("north/" + id + "/8/pound # 1/cash")) {
            assertThatThrownBy(() -> orders().named(new Order(id, 7))).isInstanceOf(LockTakenException.class);
        }
    }

    @Test
    void anExpressionThatIsNullIsAnErrorAndNoLockOfMany() {
        assertThatThrownBy(() -> orders().run(null, () -> true))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("#id")
                .hasMessageContaining("null");
    }

    @Test
    void theLeaseOfTheAnnotationIsInForce() {
        Lease lease = orders().leased(name("a"), null);
        assertThat(lease).isNotNull();
        assertThat(lease.isValid()).isFalse();
    }

    @Test
    void leaseAndFencingTokenAreInjected() {
        String id = name("a");
        List<Long> first = orders().fenced(id, 0, null);
        List<Long> second = orders().fenced(id, 0, null);

        assertThat(first.get(1)).isEqualTo(first.get(0));
        assertThat(second.get(0)).isGreaterThan(first.get(0));
    }

    @Test
    void ofSeveralLocksTheParametersFollowTheOrderOfTheAnnotations() {
        String b = name("b");
        String a = name("a");
        assertThat(orders().fencedTwice(b, a, null, null, null))
                .isCompletedWithValue(List.of("fenced:" + b, "fenced:" + a, "true"));
    }

    @Test
    void aMethodInsideCanLockTheSameNameAgain() {
        String id = name("a");
        assertThat(orders().run(id, () -> orders().run(id, () -> isHeld("order:" + id))))
                .isEqualTo(true);
        assertThat(isHeld("order:" + id)).isFalse();
    }

    @Test
    void severalLocksAreHeldTogetherAndTakenInTheOrderOfTheirNames() {
        String a = name("a");
        String b = name("b");
        assertThat(orders().transfer(b, a, () -> isHeld("account:" + a) && isHeld("account:" + b)))
                .isEqualTo(true);

        try (LockHandle other = taken("account:" + b)) {
            assertThatThrownBy(() -> orders().transfer(b, a, () -> true)).isInstanceOf(LockTakenException.class);
            assertThatThrownBy(() -> orders().transfer(a, b, () -> true)).isInstanceOf(LockTakenException.class);
            assertThat(isHeld("account:" + a)).isFalse();
        }
        try (LockHandle other = taken("account:" + a);
                CommandMonitor monitor = TestRedis.SERVER.monitor()) {
            assertThatThrownBy(() -> orders().transfer(b, a, () -> true)).isInstanceOf(LockTakenException.class);
            monitor.sync();
            assertThat(monitor.commands().toString()).contains(a).doesNotContain(b);
        }
    }

    @Test
    void oneNameTwiceIsOneLock() {
        String a = name("a");
        assertThat(orders().transfer(a, a, () -> isHeld("account:" + a))).isEqualTo(true);
        assertThat(orders().transferAsync(a, a).join()).isTrue();
        assertThat(isHeld("account:" + a)).isFalse();
    }

    @Test
    void aFactoryIsChosenByItsName() {
        String id = name("a");
        assertThat(orders().report(id, () -> TestRedis.isHeld(TestRedis.SERVER, "reports", "report:" + id)))
                .isEqualTo(true);
    }

    @Test
    void anAnnotationOfTheApplicationCanStandForIt() {
        String id = name("a");
        assertThat(orders().composed(id, () -> isHeld("composed:" + id))).isEqualTo(true);
    }

    @Test
    void aBeanThatIsALambdaIsLockedAsItsInterfaceSays() {
        String id = name("a");
        assertThat(context.getBean(Shipping.class).ship(id)).isTrue();
        assertThat(isHeld("shipping:" + id)).isFalse();
    }

    @Test
    void aBeanBehindAProxyOfItsInterfaceIsLocked() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        InterlockAutoConfiguration.class, LockedAutoConfiguration.class, AopAutoConfiguration.class))
                .withPropertyValues(
                        "spring.aop.proxy-target-class=false",
                        "interlock.strategy=set-nx-px",
                        "interlock.command-timeout=30s",
                        "interlock.endpoints=" + TestRedis.SERVER.uri())
                .withBean("shipping", Shipping.class, ShippingByTrain::new)
                .run(application -> {
                    Shipping shipping = application.getBean(Shipping.class);
                    assertThat(Proxy.isProxyClass(shipping.getClass())).isTrue();
                    String id = name("a");
                    assertThat(shipping.ship(id)).isTrue();
                    assertThat(isHeld("shipping:" + id)).isFalse();
                });
    }

    @Test
    void aMethodThatRunsOnAnotherThreadIsLockedThere() {
        String id = name("a");
        assertThat(orders().inBackground(id).join()).isEqualTo("true on background");
        assertThat(isHeld("background:" + id)).isFalse();
    }

    @Test
    void aStageHoldsTheLockUntilItHasCompleted() throws Exception {
        String id = name("a");
        CompletableFuture<String> work = new CompletableFuture<>();

        CompletableFuture<String> result = orders().async(id, work);
        assertThat(isHeld("async:" + id)).isTrue();
        assertThat(result).isNotDone();

        CompletableFuture<Boolean> heldWhenDone = result.thenApply(value -> isHeld("async:" + id));
        work.complete("done");
        assertThat(result.get(PATIENCE, TimeUnit.SECONDS)).isEqualTo("done");
        assertThat(heldWhenDone.get(PATIENCE, TimeUnit.SECONDS)).isFalse();
    }

    @Test
    void aStageThatFailsReleasesTheLockAndFails() {
        String id = name("a");
        CompletableFuture<String> result =
                orders().async(id, CompletableFuture.failedFuture(new IllegalStateException("out of stock")));

        assertThatThrownBy(result::join).isInstanceOf(CompletionException.class).hasRootCauseMessage("out of stock");
        assertThat(isHeld("async:" + id)).isFalse();
    }

    @Test
    void aStageReportsThatTheLockWasTaken() {
        String id = name("a");
        try (LockHandle other = taken("async:" + id)) {
            CompletableFuture<String> result = orders().async(id, new CompletableFuture<>());
            assertThatThrownBy(result::join).hasCauseInstanceOf(LockTakenException.class);
        }
    }

    @Test
    void aStageInsideAHoldOfTheSameNameFailsInsteadOfWaitingForItself() {
        String id = name("a");
        Object result = orders().run(id, () -> orders().stage(id));
        assertThat((CompletableFuture<?>) result).isCompletedExceptionally();
        assertThatThrownBy(((CompletableFuture<?>) result)::join)
                .hasCauseExactlyInstanceOf(IllegalStateException.class);
    }

    @Test
    void aMethodThatIsScheduledIsLocked() throws Exception {
        assertThat(context.getBean(Nightly.class).held().get(PATIENCE, TimeUnit.SECONDS))
                .isTrue();
    }

    @Test
    void aMethodThatReturnsNoStageReleasesTheLock() {
        String id = name("a");
        assertThat(orders().async(id, null)).isNull();
        assertThat(isHeld("async:" + id)).isFalse();
    }

    @Test
    void aLossIsReportedToTheCallerThoughTheMethodHasReturned() {
        String id = name("a");
        assertThatThrownBy(() -> orders().run(id, () -> lose("order:" + id))).isInstanceOf(LeaseLostException.class);

        IllegalStateException failure = catchThrowableOfType(
                IllegalStateException.class,
                () -> orders().run(id, () -> {
                    lose("order:" + id);
                    throw new IllegalStateException("out of stock");
                }));
        assertThat(failure).hasMessage("out of stock");
        assertThat(failure.getSuppressed()).hasAtLeastOneElementOfType(LeaseLostException.class);
    }

    @Test
    void aLossIsReportedByTheStage() {
        String id = name("a");
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> result = orders().async(id, work);
        assertThat(lose("async:" + id)).isTrue();
        work.complete("done");
        assertThatThrownBy(result::join).hasCauseInstanceOf(LeaseLostException.class);
    }

    /** Takes a lock away from its holder. */
    private static boolean lose(String name) {
        return Long.valueOf(1).equals(TestRedis.SERVER.command("DEL", "interlock:{" + name + "}"));
    }

    record Order(String id, int lines) {
        public String getId() {
            return id;
        }

        public int getLines() {
            return lines;
        }
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Locked(value = "composed:#{#id}", waitTime = "0")
    @interface OnePerOrder {
        @AliasFor(annotation = Locked.class, attribute = "lease")
        String atMost() default "20s";
    }

    interface Shipping {
        @Locked("shipping:#{#id}")
        boolean ship(String id);
    }

    static final class ShippingByTrain implements Shipping {
        @Override
        public boolean ship(String id) {
            return isHeld("shipping:" + id);
        }
    }

    interface Work {
        Object run();
    }

    static class Orders {
        @Locked(value = "order:#{#id}", waitTime = "0")
        Object run(String id, Work work) {
            return work.run();
        }

        @Locked(value = "order:#{#id}", waitTime = "100ms")
        public void waitAMoment(String id, Work work) {
            work.run();
        }

        @Locked(value = "patient:#{#id}", waitTime = "forever")
        public String patient(String id) {
            return id;
        }

        @Locked(value = "skipped:#{#id}", waitTime = "0", onTaken = Locked.OnTaken.SKIP)
        public String skipped(String id) {
            return id;
        }

        @Locked(value = "skipped:#{#id}", waitTime = "0", onTaken = Locked.OnTaken.SKIP)
        public Optional<String> skippedOptional(String id) {
            return Optional.of(id);
        }

        @Locked(value = "skipped:#{#id}", waitTime = "0", onTaken = Locked.OnTaken.SKIP)
        public CompletableFuture<Optional<String>> skippedStage(String id) {
            return CompletableFuture.completedFuture(Optional.of(id));
        }

        @Locked(value = "fallback:#{#id}", waitTime = "0", fallback = "instead")
        public String withFallback(String id) {
            return id;
        }

        private String instead(String id) {
            return "instead of " + id;
        }

        @Locked(value = "fallback:#{#id}", waitTime = "0", fallback = "reason")
        public String withReason(String id) {
            return id;
        }

        String reason(String id, LockTakenException reason) {
            return reason.lockName();
        }

        @Locked(value = "fallback:#{#id}", waitTime = "0", fallback = "fail")
        public String withFailingFallback(String id) {
            return id;
        }

        String fail(String id) {
            throw new UnsupportedOperationException(id);
        }

        @Locked(
                value = "${app.region}/#{#order.id}/#{@counter.next(#order.lines)}/pound # 1/#{currency}",
                waitTime = "0")
        public boolean named(Order order) {
            return true;
        }

        public String getCurrency() {
            return "cash";
        }

        @Locked(value = "leased:#{#id}", lease = "7s")
        public Lease leased(String id, Lease lease) {
            assertThat(lease.isValid()).isTrue();
            assertThat(lease.remaining()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(7));
            return lease;
        }

        @Locked("fenced:#{#id}")
        public List<Long> fenced(String id, @FencingToken long token, Lease lease) {
            return List.of(token, lease.fencingToken().orElseThrow());
        }

        @Locked("fenced:#{#from}")
        @Locked("fenced:#{#to}")
        public CompletionStage<List<String>> fencedTwice(
                String from, String to, Lease first, @FencingToken OptionalLong token, Lease second) {
            return CompletableFuture.completedFuture(
                    List.of(first.lockName(), second.lockName(), String.valueOf(token.equals(first.fencingToken()))));
        }

        @Locked(value = "account:#{#from}", waitTime = "0")
        @Locked(value = "account:#{#to}", waitTime = "0")
        public Object transfer(String from, String to, Work work) {
            return work.run();
        }

        @Locked(value = "account:#{#from}", waitTime = "0")
        @Locked(value = "account:#{#to}", waitTime = "0")
        public CompletableFuture<Boolean> transferAsync(String from, String to) {
            return CompletableFuture.completedFuture(true);
        }

        @Locked(name = "report:#{#id}", factory = "reports")
        public Object report(String id, Work work) {
            return work.run();
        }

        @OnePerOrder
        public Object composed(String id, Work work) {
            return work.run();
        }

        @Async("taskExecutor")
        @Locked("background:#{#id}")
        public CompletableFuture<String> inBackground(String id) {
            return CompletableFuture.completedFuture(
                    isHeld("background:" + id) + " on " + Thread.currentThread().getName());
        }

        @Locked(value = "order:#{#id}", waitTime = "forever")
        public CompletableFuture<String> stage(String id) {
            return CompletableFuture.completedFuture(id);
        }

        @Locked(value = "async:#{#id}", waitTime = "0")
        public CompletableFuture<String> async(String id, CompletableFuture<String> work) {
            return work;
        }
    }

    static class Nightly {
        private static final String NAME = name("nightly");

        private final CompletableFuture<Boolean> held = new CompletableFuture<>();

        @Scheduled(fixedDelay = 1, timeUnit = TimeUnit.DAYS)
        @Locked(value = "#{#root.name}", waitTime = "0", onTaken = Locked.OnTaken.SKIP)
        public void report() {
            held.complete(isHeld(NAME));
        }

        public CompletableFuture<Boolean> held() {
            return held;
        }

        public String getName() {
            return NAME;
        }
    }

    static class Counter {
        public int next(int number) {
            return number + 1;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableAsync
    @EnableScheduling
    static class Application {
        @Bean
        Orders orders() {
            return new Orders();
        }

        @Bean
        Nightly nightly() {
            return new Nightly();
        }

        @Bean
        Counter counter() {
            return new Counter();
        }

        @Bean
        Executor taskExecutor() {
            return Executors.newSingleThreadExecutor(task -> {
                Thread thread = new Thread(task, "background");
                thread.setDaemon(true);
                return thread;
            });
        }

        @Bean
        Shipping shipping() {
            return id -> isHeld("shipping:" + id);
        }
    }
}
