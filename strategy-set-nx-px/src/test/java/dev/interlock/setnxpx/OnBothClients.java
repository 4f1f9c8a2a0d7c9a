// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs each test with each client library, because the commands that are sent differ between them. */
@ParameterizedClass
@ValueSource(strings = {"jedis", "lettuce"})
abstract class OnBothClients extends OnAServer {}
