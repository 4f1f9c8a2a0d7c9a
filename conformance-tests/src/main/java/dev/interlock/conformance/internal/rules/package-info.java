// SPDX-License-Identifier: Apache-2.0
/** The rules of the contract, a class for each chapter. No part of the API. */
@NullMarked
package dev.interlock.conformance.internal.rules;

import org.jspecify.annotations.NullMarked;
