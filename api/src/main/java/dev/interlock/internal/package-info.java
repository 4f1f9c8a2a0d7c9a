// SPDX-License-Identifier: Apache-2.0
/** Code that the packages of this module share. Not for use outside the module. */
@NullMarked
package dev.interlock.internal;

import org.jspecify.annotations.NullMarked;
