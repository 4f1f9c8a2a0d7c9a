// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.locks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.redis.inspect.InspectedLock;
import dev.interlock.redis.inspect.LockParty;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Who waits for whom in a circle. */
class DeadlocksTest {
    private static LockParty party(String factory) {
        return new LockParty(
                Optional.of(factory), Optional.empty(), Optional.empty(), factory, Optional.empty(), Optional.empty());
    }

    private static InspectedLock lock(String name, String holder, String... waiters) {
        return held(
                name,
                party(holder),
                Arrays.stream(waiters).map(DeadlocksTest::party).toArray(LockParty[]::new));
    }

    private static InspectedLock held(String name, LockParty holder, LockParty... waiters) {
        return new InspectedLock(
                name, holder, Optional.empty(), OptionalLong.empty(), List.of(waiters), waiters.length);
    }

    /** The circles, each wait as "waiter lock". */
    private static List<String> circles(InspectedLock... locks) {
        return Deadlocks.among(List.of(locks)).stream()
                .map(circle -> String.join(
                        ", ",
                        circle.stream()
                                .map(wait -> wait.waiter().claim() + " " + wait.lock())
                                .toList()))
                .toList();
    }

    @Test
    void aChainOfWaitsIsNoCircle() {
        assertThat(circles(lock("one", "a", "b"), lock("two", "b", "c"), lock("three", "c")))
                .isEmpty();
    }

    @Test
    void twoFactoriesThatWaitForEachOtherAreACircleThatIsFoundOnce() {
        assertThat(circles(lock("one", "a", "x", "b"), lock("two", "b", "a"))).containsExactly("a two, b one");
    }

    @Test
    void aCircleOfThreeBesideAnotherOfTwoIsFound() {
        assertThat(circles(lock("one", "a", "b"), lock("two", "b", "c", "a"), lock("three", "c", "a")))
                .containsExactlyInAnyOrder("a two, b one", "a three, c two, b one");
    }

    @Test
    void aFactoryThatWaitsForALockOfItsOwnIsNoCircle() {
        assertThat(circles(lock("one", "a", "a"))).isEmpty();
    }

    @Test
    void clientsOfAnotherLibraryTakePartByTheirIdAndTheUnknownDoNot() {
        LockParty plain = LockParty.ofClient("b", "1");
        LockParty unknown = LockParty.unknown("1763715032");
        assertThat(circles(held("one", party("a"), plain), held("two", plain, party("a"))))
                .containsExactly("a two, b:1 one");
        assertThat(circles(held("one", unknown, party("a")), held("two", party("a"), unknown)))
                .isEmpty();
    }
}
