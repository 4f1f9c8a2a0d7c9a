// SPDX-License-Identifier: Apache-2.0
/** Which nodes vote, and how that is changed while clients go on. */
@NullMarked
package dev.interlock.redlock.joint;

import org.jspecify.annotations.NullMarked;
