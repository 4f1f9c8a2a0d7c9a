// SPDX-License-Identifier: Apache-2.0
/** What the author of a strategy gives to the kit, locks and faults of their backend, and what a rule needs of them. */
@NullMarked
package dev.interlock.conformance.harness;

import org.jspecify.annotations.NullMarked;
