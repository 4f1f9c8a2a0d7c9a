// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

/** Chapter 8 of the contract: waiting and wake-up. */
abstract class WaitingRules extends FencingRules {
    WaitingRules() {}
}
