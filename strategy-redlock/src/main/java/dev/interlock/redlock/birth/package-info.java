// SPDX-License-Identifier: Apache-2.0
/** Birth records: from when on the nodes can be relied upon to remember every lease that they granted. */
@org.jspecify.annotations.NullMarked
package dev.interlock.redlock.birth;
