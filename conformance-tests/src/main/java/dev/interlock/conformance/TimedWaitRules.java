// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

/** Chapter 5 of the contract: timed waits. */
abstract class TimedWaitRules extends InterruptRules {
    TimedWaitRules() {}
}
