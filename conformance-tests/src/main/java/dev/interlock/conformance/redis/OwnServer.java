// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.redis;

/**
 * A Redis server that the harness owns, and may stop, kill and restart. Not safe for use by several threads at once.
 */
interface OwnServer extends AutoCloseable {
    String host();

    /** The port, which may be another one after a start. */
    int port();

    /** Makes the process stand still, with its connections open. */
    void pause();

    /** Lets a process that stands still go on; has no effect on one that runs. */
    void resume();

    /** Lets the process save its data and end. */
    void stop();

    /** Ends the process at once, also one that stands still. */
    void kill();

    /**
     * Starts a process that has ended with what it saved when it was {@linkplain #stop stopped}; it answers on return.
     */
    void startWithData();

    /** Starts a process that has ended, without data; it answers on return. */
    void startWithoutData();

    /** Executes a command, and throws if the server replies with an error. */
    void command(String... args);

    /** Gives the server back for the next test. It must be running, and this harness must not use it again. */
    @Override
    void close();
}
