// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

/** Chapter 11 of the contract: lifecycle. */
abstract class LifecycleRules extends NameRules {
    LifecycleRules() {}
}
