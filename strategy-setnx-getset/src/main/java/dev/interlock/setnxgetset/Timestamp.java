// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxgetset;

import java.time.Duration;
import java.util.Optional;

/**
 * The value of a lock's key.
 *
 * @param text as it stands in the key
 * @param millis until when the lock is taken, in milliseconds since the epoch
 * @param lease the lease of the holder, which only our own timestamps contain
 */
record Timestamp(String text, long millis, Optional<Duration> lease) {}
