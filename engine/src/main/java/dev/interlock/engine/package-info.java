// SPDX-License-Identifier: Apache-2.0
/**
 * Lock semantics over a {@link dev.interlock.engine.protocol.LeaseProtocol}, for authors of strategies.
 *
 * <p>A strategy implements six methods, none of which waits for the lock; the engine turns them into a
 * {@link dev.interlock.DistributedLockFactory} with everything that {@link dev.interlock.DistributedLock} promises.
 * Time, waiting, threads and randomness come from an {@link dev.interlock.engine.environment.Environment}, so that the
 * same code runs under a controlled clock.
 */
@NullMarked
package dev.interlock.engine;

import org.jspecify.annotations.NullMarked;
