// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

/** Chapter 6 of the contract: lease, renewal and loss. */
abstract class LeaseRules extends TimedWaitRules {
    LeaseRules() {}
}
