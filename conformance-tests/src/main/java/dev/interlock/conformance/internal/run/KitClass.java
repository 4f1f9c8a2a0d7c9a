// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.run;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A test class whose tests are rules, as the extensions that run them see it. */
public interface KitClass {
    /**
     * Returns what the extensions need to know of the rule that runs.
     *
     * @return the present state
     */
    State state();

    /**
     * The state of a kit while a rule runs.
     *
     * @param kit the simple name of the class that a user of the kit extends
     * @param subject the name of what is tested
     * @param strategy the strategy under test and its version, if it is one and a rule has opened its harness
     * @param options the options of the strategy, as a certificate shows them, once a rule has opened its harness
     * @param ruleTimeout how long a rule may take
     * @param retries why the rule was tried again, once for each time
     */
    record State(
            String kit,
            String subject,
            Optional<String> strategy,
            Map<String, String> options,
            Duration ruleTimeout,
            List<String> retries) {}
}
