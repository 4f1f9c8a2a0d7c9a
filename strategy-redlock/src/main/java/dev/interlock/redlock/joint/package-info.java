// SPDX-License-Identifier: Apache-2.0
/** The list of voting nodes, and its change while clients go on. */
@NullMarked
package dev.interlock.redlock.joint;

import org.jspecify.annotations.NullMarked;
