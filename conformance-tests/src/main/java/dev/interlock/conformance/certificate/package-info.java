// SPDX-License-Identifier: Apache-2.0
/** What the kit writes about a lock that it has tried; see {@link Certificate}. */
@NullMarked
package dev.interlock.conformance.certificate;

import org.jspecify.annotations.NullMarked;
