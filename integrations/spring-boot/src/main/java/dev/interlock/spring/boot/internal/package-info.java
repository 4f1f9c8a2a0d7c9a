// SPDX-License-Identifier: Apache-2.0
/**
 * Hands what an application has, clients and certificates, to the builders of the strategies. For the
 * auto-configuration alone.
 */
@NullMarked
package dev.interlock.spring.boot.internal;

import org.jspecify.annotations.NullMarked;
