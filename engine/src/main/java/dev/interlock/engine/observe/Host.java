// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.observe;

import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.ObjLongConsumer;

/**
 * The functions of the engine's environment that this package uses, as method references, because the engine's package
 * depends on this one.
 *
 * @param nanoTime the monotonic clock
 * @param park blocks the current thread with a blocker, for at most some nanoseconds
 * @param unpark ends the park of a thread
 * @param newThread makes a daemon thread with a name and a task
 */
public record Host(
        LongSupplier nanoTime,
        ObjLongConsumer<Object> park,
        Consumer<Thread> unpark,
        BiFunction<String, Runnable, Thread> newThread) {}
