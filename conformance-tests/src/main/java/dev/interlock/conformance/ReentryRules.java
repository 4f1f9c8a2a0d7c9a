// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

/** Chapter 3 of the contract: re-entry. */
abstract class ReentryRules extends OwnershipRules {
    ReentryRules() {}
}
