// SPDX-License-Identifier: Apache-2.0
/**
 * The conformance kit: the numbered rules of {@code docs/contract.md} as tests that the author of a strategy runs by
 * one class that extends {@link dev.interlock.conformance.DistributedLockConformance}.
 */
@NullMarked
package dev.interlock.conformance;

import org.jspecify.annotations.NullMarked;
