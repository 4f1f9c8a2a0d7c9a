// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import dev.interlock.conformance.internal.run.CertificateWriter;
import dev.interlock.conformance.plain.PlainLocks;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;
import org.junit.platform.testkit.engine.Events;

/** Runs the kit for plain locks against locks with known defects, and checks which rules it skips. */
class PlainKitTest {
    private static final Pattern RULE = Pattern.compile("rule_(\\d+)_(\\d+)_\\w+");

    /** The JDK's lock; subclasses break a part of it. */
    private static class SpoiledLock extends ReentrantLock {
        private static final long serialVersionUID = 1;
    }

    /** A lock that any thread may unlock. */
    private static final class OwnerlessLock implements Lock {
        private final Semaphore semaphore = new Semaphore(1);

        @Override
        public void lock() {
            semaphore.acquireUninterruptibly();
        }

        @Override
        public void lockInterruptibly() throws InterruptedException {
            semaphore.acquire();
        }

        @Override
        public boolean tryLock() {
            return semaphore.tryAcquire();
        }

        @Override
        public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
            return semaphore.tryAcquire(time, unit);
        }

        @Override
        public void unlock() {
            semaphore.release();
        }

        @Override
        public Condition newCondition() {
            throw new UnsupportedOperationException();
        }
    }

    static final class OwnerlessKit extends PlainLockConformance {
        @Override
        protected PlainLocks locks() {
            return PlainLocks.of(OwnerlessLock::new).notReentrant().withoutConditions();
        }
    }

    private static final class DeafLock extends SpoiledLock {
        private static final long serialVersionUID = 1;

        @Override
        public void lockInterruptibly() {
            lock();
        }
    }

    static final class DeafKit extends PlainLockConformance {
        @Override
        protected PlainLocks locks() {
            return PlainLocks.of(DeafLock::new);
        }
    }

    private static final class HastyLock extends SpoiledLock {
        private static final long serialVersionUID = 1;

        @Override
        public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
            return super.tryLock(time / 2, unit);
        }
    }

    static final class HastyKit extends PlainLockConformance {
        @Override
        protected PlainLocks locks() {
            return PlainLocks.of(HastyLock::new);
        }
    }

    /** Each lock object is a lock of its own, whatever its name. */
    static final class UnsharedKit extends PlainLockConformance {
        @Override
        protected PlainLocks locks() {
            return PlainLocks.named(name -> new ReentrantLock());
        }
    }

    /** A lock that refuses slowly, and a kit with a short time-out. */
    static final class HurriedKit extends PlainLockConformance {
        @Override
        protected PlainLocks locks() {
            return PlainLocks.of(() -> new SpoiledLock() {
                @Override
                public void lock() {
                    LockSupport.park();
                }
            });
        }

        @Override
        protected Duration ruleTimeout() {
            // Long enough to open the harness on a busy machine, which has the same time.
            return Duration.ofSeconds(3);
        }
    }

    static final class BareKit extends PlainLockConformance {
        @Override
        protected PlainLocks locks() {
            return PlainLocks.of(ReentrantLock::new);
        }
    }

    private static Events run(Class<? extends PlainLockConformance> kit, String... rules) {
        return EngineTestKit.engine("junit-jupiter")
                .selectors(Arrays.stream(kit.getMethods())
                        .filter(method -> method.isAnnotationPresent(Test.class))
                        .filter(method -> rules.length == 0 || Set.of(rules).contains(number(method.getName())))
                        .map(method -> selectMethod(kit, method.getName()))
                        .toArray(DiscoverySelector[]::new))
                .configurationParameter(CertificateWriter.PROPERTY, CertificateWriter.NONE)
                .configurationParameter("junit.jupiter.execution.parallel.enabled", "true")
                .configurationParameter("junit.jupiter.execution.parallel.mode.default", "concurrent")
                .configurationParameter(
                        "junit.jupiter.execution.parallel.config.executor-service", "WORKER_THREAD_POOL")
                .configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
                .configurationParameter("junit.jupiter.execution.parallel.config.fixed.parallelism", "12")
                .execute()
                .testEvents();
    }

    private static Set<String> broken(Class<? extends PlainLockConformance> kit, String... rules) {
        Set<String> broken = new TreeSet<>();
        run(kit, rules).failed().stream()
                .forEach(event -> broken.add(number(event.getTestDescriptor().getDisplayName())));
        return broken;
    }

    private static String number(String test) {
        Matcher matcher = RULE.matcher(test);
        return matcher.lookingAt() ? matcher.group(1) + "." + matcher.group(2) : test;
    }

    @Test
    void aLockThatAnybodyMayUnlockBreaksTheRulesOfOwnership() {
        assertThat(broken(OwnerlessKit.class))
                .containsExactlyInAnyOrder("2.1", "2.2", "2.4", "2.5", "2.11", "2.12", "2.42", "5.22");
    }

    @Test
    void aLockThatDoesNotHearAnInterruptBreaksTheRulesOfInterrupts() {
        assertThat(broken(DeafKit.class, "4.3", "4.4", "4.5", "4.6", "4.10", "3.19"))
                .containsExactlyInAnyOrder("3.19", "4.4", "4.5", "4.6");
    }

    @Test
    void aLockThatGivesUpEarlyBreaksTheRulesOfTimedWaits() {
        assertThat(broken(HastyKit.class, "5.2", "5.3", "5.4", "5.6", "5.7", "5.16"))
                .containsExactlyInAnyOrder("5.3", "5.6", "5.16");
    }

    @Test
    void lockObjectsThatShareNothingBreakTheRulesOfExclusion() {
        assertThat(broken(UnsharedKit.class, "1.1", "1.4", "1.8", "1.12"))
                .contains("1.4", "1.8", "1.12")
                .doesNotContain("1.1");
    }

    @Test
    void aRuleThatAsksForMoreThanAPlainLockHasIsSkippedWithAReason() {
        Map<String, String> skipped = new TreeMap<>();
        run(BareKit.class, "1.1", "1.2", "1.4", "2.9", "2.15", "2.22", "2.30", "4.20").aborted().stream()
                .forEach(event -> skipped.put(number(event.getTestDescriptor().getDisplayName()), reason(event)));
        assertThat(skipped)
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "1.2", "needs several clients",
                        "1.4", "needs several lock objects of one name",
                        "2.9", "needs a query of the current thread's holds",
                        "2.15", "needs handles, which belong to no thread",
                        "2.22", "needs leases that the caller chooses and looks at",
                        "2.30", "needs a lock without conditions",
                        "4.20", "the strategy does not declare PUSH_WAKEUP"));
    }

    @Test
    void aRuleThatTakesTooLongIsEndedByTheTimeOutOfItsKit() {
        assertThat(run(HurriedKit.class, "2.2").failed().stream().map(PlainKitTest::reason))
                .singleElement(STRING)
                .contains("the rule has not ended in PT3S");
    }

    private static String reason(Event event) {
        return event.getPayload(TestExecutionResult.class)
                .flatMap(TestExecutionResult::getThrowable)
                .map(Throwable::getMessage)
                .map(message -> message.replaceFirst("^Assumption failed: ", ""))
                .orElse("");
    }
}
