// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot;

import org.junit.jupiter.api.Tag;

/** The whole contract. */
@Tag("nightly")
class BootClientsConformanceTest extends BootClientsConformance {}
