// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spec;

import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks that each assumption of a strategy's profile is needed: without it, TLC finds a counter-example. */
@Tag("deep")
class DroppedAssumptionTest {
    private static final Map<String, Specification> SPECIFICATIONS = Map.of(
            "LeadQueue", new Specification("redlock", "LeadQueue"),
            "JointQuorum", new Specification("redlock", "JointQuorum"),
            "HandOver", new Specification("setnxpx", "HandOver"),
            "ReadWrite", new Specification("setnxpx", "ReadWrite"));

    static Stream<DroppedAssumption> droppedAssumptions() {
        return DroppedAssumption.all().stream();
    }

    @ParameterizedTest
    @MethodSource("droppedAssumptions")
    void withoutAnAssumptionAPromiseIsBroken(DroppedAssumption dropped, TestReporter reporter) throws Exception {
        Specification specification = SPECIFICATIONS.get(dropped.module());
        if (dropped.isLiveness()) {
            specification.breaksProperty(dropped.model(), dropped.constants(), dropped.refutedBy(), reporter);
        } else {
            specification.isRefuted(dropped.model(), dropped.constants(), dropped.refutedBy(), reporter);
        }
    }
}
