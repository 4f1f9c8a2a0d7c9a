// SPDX-License-Identifier: Apache-2.0
/** Lock clients of other makes, with which locks under plain keys exclude each other. */
@NullMarked
package dev.interlock.peers;

import org.jspecify.annotations.NullMarked;
