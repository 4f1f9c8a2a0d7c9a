// SPDX-License-Identifier: Apache-2.0
/** The strategy that docs/writing-a-strategy.md writes, as somebody else would write it. */
@NullMarked
package com.example.locks;

import org.jspecify.annotations.NullMarked;
