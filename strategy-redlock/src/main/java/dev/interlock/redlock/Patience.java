// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

/**
 * How long to wait for one server.
 *
 * @param answerNanos for the answer to what was sent
 * @param connectionNanos for the first connection, over which to send it
 */
record Patience(long answerNanos, long connectionNanos) {}
