// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

/** Chapter 1 of the contract: exclusion. */
abstract class ExclusionRules extends Stage {
    ExclusionRules() {}
}
