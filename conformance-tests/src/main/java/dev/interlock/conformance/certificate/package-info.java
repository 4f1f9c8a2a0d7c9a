// SPDX-License-Identifier: Apache-2.0
/** The kit's report about a lock under test; see {@link Certificate}. */
@NullMarked
package dev.interlock.conformance.certificate;

import org.jspecify.annotations.NullMarked;
