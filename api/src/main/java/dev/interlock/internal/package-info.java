// SPDX-License-Identifier: Apache-2.0
/** What the packages of this module share, and nobody else may use. */
@NullMarked
package dev.interlock.internal;

import org.jspecify.annotations.NullMarked;
