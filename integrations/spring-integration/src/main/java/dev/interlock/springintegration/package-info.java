// SPDX-License-Identifier: Apache-2.0
/** The lock registry of Spring Integration over the locks of any strategy. */
@NullMarked
package dev.interlock.springintegration;

import org.jspecify.annotations.NullMarked;
