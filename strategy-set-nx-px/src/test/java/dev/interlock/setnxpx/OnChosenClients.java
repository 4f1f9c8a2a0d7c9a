// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs each test, which should pass with any client library, with those that the build names, or else with both. */
@Tag("both-legs")
@ParameterizedClass
@MethodSource("clients")
public abstract class OnChosenClients extends OnAServer {
    public static String[] clients() {
        return System.getProperty("interlock.clients", "interlock,lettuce").split(",");
    }
}
