// SPDX-License-Identifier: Apache-2.0
/** How the kit starts JVMs of its own; not for authors of locks. */
@NullMarked
package dev.interlock.conformance.child;

import org.jspecify.annotations.NullMarked;
