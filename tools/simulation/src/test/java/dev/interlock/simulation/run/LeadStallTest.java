// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.simulation.plan.FaultKind;
import dev.interlock.simulation.plan.Plan;
import dev.interlock.simulation.plan.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Clients pass one lock of {@code redlock} on, and one of them, one of its connections or one server is lost: nobody
 * else waits for longer than a grant to a waiter lasts. Measured by the virtual clock, so no busy machine disturbs it.
 */
class LeadStallTest {
    private static final Logger ENGINE = Logger.getLogger("dev.interlock");
    private static final Setup REDLOCK = Setup.of("redlock");
    private static final long MILLI = 1_000_000;
    private static final int CLIENTS = 4;
    private static final int WORKS = 60;

    /** Each client is struck in one of them. */
    private static final int FEW_SEEDS = CLIENTS;

    private static final int SEEDS = 20;

    /** In one of so many seeds, servers that nobody has watched begin, and do not vote. */
    private static final int COLD_SEEDS = 8;

    /** A grant lasts two seconds by the clock of a server, whose rate may be wrong; then the next client has to ask. */
    private static final double LONGEST_SECONDS = 2.1;

    private static final Pattern GRANT =
            Pattern.compile(" *(\\d+\\.\\d+) s {2}client-(\\d)/\\S+ +was granted \"a\", token .*");

    @BeforeAll
    static void tellNobody() {
        ENGINE.setLevel(Level.OFF);
    }

    @ParameterizedTest
    @MethodSource("losses")
    @Tag("deep")
    void aLossHoldsTheOthersUpForOneGrantAtMost(FaultKind kind) {
        assertStallsAreShort(kind, FEW_SEEDS);
    }

    @ParameterizedTest
    @MethodSource("losses")
    @Tag("nightly")
    void aLossHoldsTheOthersUpForOneGrantAtMostInMoreSeeds(FaultKind kind) {
        assertStallsAreShort(kind, SEEDS);
    }

    static Stream<FaultKind> losses() {
        return Stream.of(
                FaultKind.CRASH,
                FaultKind.CLIENT_PAUSE,
                FaultKind.SUBSCRIPTION_CUT,
                FaultKind.REQUEST_LOST,
                FaultKind.REPLY_LOST,
                FaultKind.DUPLICATE,
                FaultKind.SERVER_PAUSE,
                FaultKind.RESTART,
                FaultKind.SCRIPT_FLUSH,
                FaultKind.FLUSH,
                FaultKind.SERVER_LOST);
    }

    private static void assertStallsAreShort(FaultKind kind, int seeds) {
        for (long seed = 1; seed <= seeds; seed++) {
            if (seed % COLD_SEEDS != 0) {
                int struck = (int) (seed % CLIENTS);
                RunOutcome outcome = World.run(plan(seed, kind, struck), REDLOCK, true);
                assertThat(outcome.violation()).as("seed %d", seed).isEmpty();
                assertThat(longestStall(outcome, kind.isOfAClient() ? struck : -1))
                        .as("seed %d", seed)
                        .isPositive()
                        .isLessThan(LONGEST_SECONDS);
            }
        }
    }

    /** All clients ask again and again. Their leases are longer than a grant, which must not matter. */
    private static Plan plan(long seed, FaultKind kind, int struck) {
        Random random = new Random(seed * 0x9E3779B97F4A7C15L);
        List<Step> steps = new ArrayList<>();
        for (int client = 0; client < CLIENTS; client++) {
            for (int i = 0; i < WORKS; i++) {
                steps.add(new Step.Work(
                        steps.size(), client, 0, Step.Ask.LOCK, "a", 0, 5 * MILLI, 0, 3_000, true, false));
            }
        }
        long at = (300_000 + random.nextInt(300_000)) * MILLI / 1000;
        // An even number strikes one server.
        int amount = random.nextInt(1 << 8) << 8;
        steps.add(new Step.Fault(steps.size(), kind, struck, at, 5_000 * MILLI, amount));
        return new Plan(seed, Set.of(), CLIENTS, List.copyOf(steps));
    }

    /** The longest time between two grants, in seconds, except before one to the client that was struck. */
    private static double longestStall(RunOutcome outcome, int except) {
        double longest = 0;
        double last = Double.NaN;
        for (String line : outcome.trace()) {
            Matcher grant = GRANT.matcher(line);
            if (grant.matches() && Integer.parseInt(grant.group(2)) < CLIENTS) {
                double at = Double.parseDouble(grant.group(1));
                if (Integer.parseInt(grant.group(2)) != except && !Double.isNaN(last)) {
                    longest = Math.max(longest, at - last);
                }
                last = at;
            }
        }
        return longest;
    }
}
