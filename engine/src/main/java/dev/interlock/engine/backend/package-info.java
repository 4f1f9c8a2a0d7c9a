// SPDX-License-Identifier: Apache-2.0
/** The engine's dealings with the backend: claims, the pace of requests, releases, and outages. */
@NullMarked
package dev.interlock.engine.backend;

import org.jspecify.annotations.NullMarked;
