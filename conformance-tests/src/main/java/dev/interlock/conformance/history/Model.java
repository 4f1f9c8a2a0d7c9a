// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.history;

/**
 * The lock against which a history is judged, as it behaves when its calls are made one after another.
 *
 * <p>The lock is free or held by one process. A free lock can be acquired, by anybody; a lock that is held can be
 * released by its holder, and be lost as {@link Event#validNanos()} and {@link Event.Op#LOST} say, never before.
 *
 * @param reentrant whether the holder may acquire the lock again, and frees it with as many releases
 * @param fenced whether each hold has a fencing token that is larger than all before, and keeps it when acquired again
 */
public record Model(boolean reentrant, boolean fenced) {}
