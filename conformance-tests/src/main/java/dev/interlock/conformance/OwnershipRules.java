// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

/** Chapter 2 of the contract: ownership and unlock. */
abstract class OwnershipRules extends ExclusionRules {
    OwnershipRules() {}
}
