// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis;

/**
 * The copies of a write that must exist before the command counts: replicas that have received it, and the disk.
 *
 * @param replicas how many replicas must have received it, zero or more
 * @param onDisk whether the server must have written it to its disk as well, and each of those replicas to its own
 * @param urgent whether the command goes ahead of others that wait for a connection
 * @see RedisNode#callAcknowledged
 */
public record Acknowledgement(int replicas, boolean onDisk, boolean urgent) {
    /** Waits for the server's own reply alone. */
    public static final Acknowledgement NONE = new Acknowledgement(0, false);

    /**
     * Creates the requirement.
     *
     * @param replicas how many replicas must have received what was written
     * @param onDisk whether it must be on disk as well
     */
    public Acknowledgement(int replicas, boolean onDisk) {
        this(replicas, onDisk, false);
    }

    /**
     * Creates the requirement.
     *
     * @param replicas how many replicas must have received what was written
     * @param onDisk whether it must be on disk as well
     * @param urgent whether the command goes ahead of others that wait for a connection
     */
    public Acknowledgement {
        if (replicas < 0) {
            throw new IllegalArgumentException("a command cannot be acknowledged by " + replicas + " replicas");
        }
    }

    /**
     * Returns the same requirement for a command that goes ahead of others, such as a renewal.
     *
     * @return the requirement
     */
    public Acknowledgement urgently() {
        return new Acknowledgement(replicas, onDisk, true);
    }

    /**
     * Tells whether any acknowledgement is required.
     *
     * @return {@code false} if the server's own reply is enough
     */
    public boolean isWanted() {
        return replicas > 0 || onDisk;
    }

    /**
     * Returns the command that waits for the acknowledgement of all that its connection has written before. It has no
     * effect within a transaction or script.
     *
     * @param millis how long it waits at most, longer than zero
     * @return {@code WAIT}, or {@code WAITAOF} where the disk is asked for
     */
    public RedisCommand command(long millis) {
        String copies = Integer.toString(replicas);
        String longest = Long.toString(millis);
        return onDisk ? RedisCommand.of("WAITAOF", "1", copies, longest) : RedisCommand.of("WAIT", copies, longest);
    }
}
