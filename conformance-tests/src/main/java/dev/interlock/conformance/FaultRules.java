// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

/** Chapter 9 of the contract: faults and unknown outcomes. */
abstract class FaultRules extends WaitingRules {
    FaultRules() {}
}
