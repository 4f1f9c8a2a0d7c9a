// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

/** Chapter 7 of the contract: fencing. */
abstract class FencingRules extends LeaseRules {
    FencingRules() {}
}
