// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs each test over connections of Jedis and of Lettuce, because the commands that are sent differ between them. */
@ParameterizedClass
@ValueSource(strings = {"interlock", "lettuce"})
abstract class OnBothClients extends OnAServer {}
