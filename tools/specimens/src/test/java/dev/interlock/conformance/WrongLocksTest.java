// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.conformance.memory.MemoryHarness;
import dev.interlock.conformance.memory.WrongLock;
import dev.interlock.conformance.wrong.WrongLocks;
import dev.interlock.conformance.wrong.WrongTimedWaits;
import dev.interlock.specimens.ForwardingLock;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.parallel.Isolated;

/** Runs the kit against the wrong locks in memory. */
@Isolated("runs hundreds of rules at once itself")
class WrongLocksTest {
    /**
     * The locks against which the whole kit runs, to check that they break nothing else: several of each chapter, and
     * defects found in other libraries.
     */
    static final Set<String> EXAMINED = Set.of(
            "aThreadIsKnownByItsName",
            "aHandleThatIsClosedTwiceFreesTheNextHolder",
            "aThreadReEntersWhatItHasLost",
            "anInnerUnlockEndsRenewal",
            "lockSwallowsTheInterrupt",
            "tryLockSwallowsTheInterrupt",
            "timedTryLockSpendsItsWaitTwice",
            "timedTryLockOverflows",
            "lockGivesUpAfterItsLease",
            "aTimedOutWaiterGoesOnInTheBackground",
            "waitingUsesUpTheLease",
            "leasesAreThreeTimesAsLongOnTheServer",
            "renewalDoesNotLookAtTheOwner",
            "renewalTakesALostLockBack",
            "maxHoldIsForgotten",
            "reentryDrawsAToken",
            "theCounterIsLostWithTheData",
            "aStrayWakeUpIsTakenForAGrant",
            "aWaiterThatLostTheRaceIsNotToldAgain",
            "tryLockCallsAnOutageTaken",
            "aReleaseThatFailsIsForgotten",
            "keysAreStripped",
            "aSecondCloseFreesWhatTheFirstOneFreed",
            "closeGivesNothingBack",
            "aThreadOutlivesItsFactory");

    /**
     * The base of the wrong locks, without a defect. If it broke a rule, all wrong locks would seem to break that rule.
     */
    private static final WrongLock FORWARDING =
            WrongTimedWaits.spoilt("everyCallIsPassedOn", () -> ForwardingLock::new);

    /** Rules under load. A lock that is meant for other rules breaks them only if a race goes against it. */
    static final Set<String> RACES =
            Set.of("1.8", "1.9", "1.12", "1.13", "1.17", "1.18", "7.14", "8.13", "9.29", "13.6");

    /**
     * Locks that keep all virtual threads of this JVM from running. A rule about virtual threads beside them would fail
     * against a lock that does not break it.
     */
    private static final Set<String> STARVING = Set.of("waitersSpin");

    /**
     * Most broken rules wait until their time limit, so many can run at once; with too many, a rule would also fail
     * against a lock that does not break it.
     */
    static final Examination<WrongLock> OF_OWN_RULES =
            new Examination<>(lock -> () -> new MemoryHarness(lock), WrongLock::breaks, 4, 24);

    private static final Examination<WrongLock> OF_THE_WHOLE_KIT =
            new Examination<>(lock -> () -> new MemoryHarness(lock), WrongLock::breaks, 24, 12);

    @TestFactory
    Stream<DynamicTest> aWrongLockBreaksTheRulesThatItIsThereFor(TestReporter reporter) {
        return OF_OWN_RULES.ofOwnRules(WrongLocks.ofCalls(), reporter);
    }

    /** In CI the leg fast skips these rules for its older JDK, and the leg deep runs only tests with a tag. */
    @TestFactory
    @Tag("deep")
    @EnabledForJreRange(min = JRE.JAVA_21, disabledReason = "virtual threads came with Java 21")
    Stream<DynamicTest> aWrongLockBreaksItsRulesAboutVirtualThreads(TestReporter reporter) {
        return OF_OWN_RULES.ofOwnRulesAboutVirtualThreads(
                WrongLocks.ofCalls().filter(lock -> !STARVING.contains(lock.name())), reporter);
    }

    @TestFactory
    @Tag("deep")
    @EnabledForJreRange(min = JRE.JAVA_21, disabledReason = "virtual threads came with Java 21")
    Stream<DynamicTest> aLockThatStarvesVirtualThreadsBreaksItsRulesAboutThem(TestReporter reporter) {
        return OF_OWN_RULES.ofOwnRulesAboutVirtualThreads(
                WrongLocks.ofCalls().filter(lock -> STARVING.contains(lock.name())), reporter);
    }

    @TestFactory
    @Tag("deep")
    Stream<DynamicTest> anExaminedLockBreaksNoOtherRules(TestReporter reporter) {
        return OF_THE_WHOLE_KIT.of(
                Stream.concat(Stream.of(FORWARDING), WrongLocks.all().filter(lock -> EXAMINED.contains(lock.name()))),
                WrongLocksTest::rulesWithoutRaces,
                reporter);
    }

    private static Set<String> rulesWithoutRaces(WrongLock lock) {
        Set<String> rules = KitRun.rules();
        rules.removeIf(rule -> RACES.contains(rule) && !lock.breaks().contains(rule));
        rules.removeAll(lock.races());
        return rules;
    }

    @Test
    void everyExaminedLockIsThere() {
        assertThat(WrongLocks.all().map(WrongLock::name))
                .containsAll(EXAMINED)
                .containsAll(STARVING)
                .doesNotHaveDuplicates();
    }
}
