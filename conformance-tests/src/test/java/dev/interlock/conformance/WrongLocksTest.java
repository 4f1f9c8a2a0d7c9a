// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The kit against locks of which it is known what is wrong with them. */
class WrongLocksTest {
    private static final int LOCKS_AT_ONCE = 8;
    private static final int RULES_AT_ONCE = 16;

    /** Those against which the whole kit is run, to see that they break nothing else; several of each chapter, and what peers ship. */
    private static final Set<String> EXAMINED = Set.of(
            "aThreadIsKnownByItsName",
            "aHandleThatIsClosedTwiceFreesTheNextHolder",
            "anyThreadMayCloseTheLeaseOfAThread",
            "aThreadReEntersWhatItHasLost",
            "holdsAreCountedByThreadAlone",
            "anInnerUnlockEndsRenewal",
            "lockSwallowsTheInterrupt",
            "tryLockSwallowsTheInterrupt",
            "timedTryLockSpendsItsWaitTwice",
            "tryAcquireSpendsItsWaitTwice",
            "timedTryLockOverflows",
            "lockGivesUpAfterItsLease",
            "aTimedOutWaiterGoesOnInTheBackground",
            "waitingUsesUpTheLease",
            "aLeaseCountsFromTheAnswer",
            "renewalDoesNotLookAtTheOwner",
            "renewalTakesALostLockBack",
            "maxHoldIsForgotten",
            "reentryDrawsAToken",
            "theCounterIsLostWithTheData",
            "theCounterEndsWithTheLease",
            "aStrayWakeUpEndsATimedWait",
            "aStrayWakeUpIsTakenForAGrant",
            "aWaiterThatLostTheRaceIsNotToldAgain",
            "allNamesShareOneQueue",
            "tryLockCallsAnOutageTaken",
            "unlockFailsWithTheBackend",
            "aReleaseThatFailsIsForgotten",
            "keysAreStripped",
            "theKeyPrefixIsIgnored",
            "aSecondCloseIsAnError",
            "closeGivesNothingBack",
            "aThreadOutlivesItsFactory");

    /** Rules under load, which a lock that is not there for them breaks only if a race goes against it. */
    private static final Set<String> RACES = Set.of("1.8", "1.9", "1.12", "1.13", "1.17", "1.18", "7.14", "9.29");

    /** What a wrong lock is tried with. */
    private record Run(WrongLock lock, CompletableFuture<Map<String, String>> failures) {}

    @TestFactory
    Stream<DynamicTest> aWrongLockBreaksTheRulesThatItIsThereFor() {
        return examine(
                WrongLocks.all(),
                lock -> KitRun.failures(() -> new MemoryHarness(lock), RULES_AT_ONCE, lock.breaks()),
                run -> assertThat(run.failures().join().keySet())
                        .as("rules that " + run.lock() + " breaks, of those that it should")
                        .isEqualTo(run.lock().breaks()));
    }

    @TestFactory
    Stream<DynamicTest> anExaminedLockBreaksNoOtherRule() {
        return examine(
                Stream.concat(
                        Stream.of(new WrongLock("correct")),
                        WrongLocks.all().filter(lock -> EXAMINED.contains(lock.name()))),
                lock -> KitRun.failures(() -> new MemoryHarness(lock), RULES_AT_ONCE),
                run -> {
                    Map<String, String> failures = run.failures().join();
                    Set<String> broken = new TreeSet<>(failures.keySet());
                    broken.removeIf(
                            rule -> RACES.contains(rule) && !run.lock().breaks().contains(rule));
                    assertThat(broken)
                            .as("rules that " + run.lock() + " breaks; what they said: " + failures)
                            .isEqualTo(run.lock().breaks());
                });
    }

    private static Stream<DynamicTest> examine(
            Stream<WrongLock> locks, Function<WrongLock, Map<String, String>> kit, Consumer<Run> verdict) {
        ExecutorService runs = Executors.newFixedThreadPool(LOCKS_AT_ONCE);
        List<Run> all = locks.map(lock -> new Run(lock, CompletableFuture.supplyAsync(() -> kit.apply(lock), runs)))
                .toList();
        return all.stream()
                .map(run -> dynamicTest(run.lock().name(), () -> verdict.accept(run)))
                .onClose(runs::shutdownNow);
    }

    @Test
    void everyExaminedLockIsThere() {
        assertThat(WrongLocks.all().map(WrongLock::name)).containsAll(EXAMINED).doesNotHaveDuplicates();
    }

    @Test
    void everyRuleIsBrokenBySomeWrongLock() {
        Set<String> broken = Stream.concat(
                        WrongLocks.all().map(WrongLock::breaks),
                        Specimens.all().flatMap(specimen -> Stream.of(specimen.breaks(), specimen.races())))
                .flatMap(Set::stream)
                .collect(Collectors.toSet());
        Set<String> rules = KitRun.rules();
        if (Runtime.version().feature() < 21) {
            // Locks that are wrong with virtual threads can be seen where there are some.
            rules.removeAll(KitRun.rulesAboutVirtualThreads());
        }
        assertThat(broken).containsExactlyInAnyOrderElementsOf(rules);
    }
}
