// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

/** Chapter 12 of the contract: several processes. */
abstract class ProcessRules extends LifecycleRules {
    ProcessRules() {}
}
