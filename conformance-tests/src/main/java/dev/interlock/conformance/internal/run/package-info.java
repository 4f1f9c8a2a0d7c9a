// SPDX-License-Identifier: Apache-2.0
/** How the rules of the kit are run. No part of the API. */
@NullMarked
package dev.interlock.conformance.internal.run;

import org.jspecify.annotations.NullMarked;
