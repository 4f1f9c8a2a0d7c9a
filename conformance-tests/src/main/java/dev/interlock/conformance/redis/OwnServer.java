// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.redis;

/** A Redis server that belongs to the harness, which may do anything to it. Not safe for use by several threads at once. */
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

    /** Starts a process that has ended with what it saved when it was {@linkplain #stop stopped}; it answers on return. */
    void startWithData();

    /** Starts a process that has ended, without data; it answers on return. */
    void startWithoutData();

    /** Carries out a command; an error is thrown. */
    void command(String... args);

    /** Gives the server back, which runs by now; it is used no more by this harness. */
    @Override
    void close();
}
