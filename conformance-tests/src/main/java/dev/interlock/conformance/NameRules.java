// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

/** Chapter 10 of the contract: names and configuration. */
abstract class NameRules extends FaultRules {
    NameRules() {}
}
