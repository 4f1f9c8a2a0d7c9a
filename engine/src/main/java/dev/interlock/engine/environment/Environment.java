// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.environment;

/**
 * The only source of time, waiting, threads and randomness for the engine, the Redis adapters and the strategies.
 *
 * <p>{@link #system()} is the real environment. Tests pass one whose clock they set. Implementations must be safe to
 * use from any thread.
 */
public interface Environment {
    /**
     * Returns the environment of the running JVM.
     *
     * @return the real environment
     */
    static Environment system() {
        return SystemEnvironment.INSTANCE;
    }

    /**
     * Returns the monotonic clock, as {@link System#nanoTime} does.
     *
     * @return nanoseconds since some arbitrary moment
     */
    long nanoTime();

    /**
     * Returns the wall clock, as {@link System#currentTimeMillis} does.
     *
     * @return milliseconds since the epoch
     */
    long currentTimeMillis();

    /**
     * Blocks the current thread until it is unparked or interrupted, the time has passed, or for no reason at all, as
     * {@link java.util.concurrent.locks.LockSupport#parkNanos(Object, long)} does.
     *
     * @param blocker what the thread waits for
     * @param nanos the longest time, in nanoseconds; {@link Long#MAX_VALUE} for no bound
     */
    void park(Object blocker, long nanos);

    /**
     * Ends the current or next {@link #park} of a thread.
     *
     * @param thread the thread
     */
    void unpark(Thread thread);

    /**
     * Makes a daemon thread that is not started yet.
     *
     * @param name its name
     * @param task what it runs
     * @return the thread
     */
    Thread newThread(String name, Runnable task);

    /**
     * Makes a daemon thread that is not started yet and will wait for most of its life: a virtual thread if the JVM has
     * them. The same as {@link #newThread} unless overridden.
     *
     * @param name its name
     * @param task what it runs
     * @return the thread
     */
    default Thread newWaitingThread(String name, Runnable task) {
        return newThread(name, task);
    }

    /**
     * Returns a random number that may be guessable, to spread events that would otherwise coincide.
     *
     * @param bound the exclusive upper bound, positive
     * @return a number from zero to {@code bound}
     */
    long nextLong(long bound);

    /**
     * Returns a text that nobody can guess and that will never be returned again, anywhere: at least 128 random bits.
     *
     * @return the text, in characters that need no escaping
     */
    String newToken();
}
