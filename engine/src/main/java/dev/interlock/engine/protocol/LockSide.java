// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.protocol;

import java.util.Objects;
import java.util.Optional;

/**
 * One side of a read/write lock, as one owner uses it. The engine treats it as a lock with a name of its own, its
 * {@linkplain #key key}, which no lock of a user's has: so each reader has a lease, a renewal and a loss of its own.
 *
 * @param access which side
 * @param owner the thread or handle that uses it, unique in the factory; without a slash
 * @param lockName the name of the read/write lock
 */
public record LockSide(Access access, String owner, String lockName) {
    /** The second half of a surrogate pair. No valid name begins with it, since it cannot be encoded. */
    private static final char MARK = '\uDC00';

    private static final char END_OF_OWNER = '/';

    /** The two sides of a read/write lock. */
    public enum Access {
        /** The side that many may hold at once. */
        READ('r'),
        /** The side that excludes everybody else. */
        WRITE('w');

        private final char letter;

        Access(char letter) {
            this.letter = letter;
        }
    }

    /**
     * Creates a side.
     *
     * @param access which side
     * @param owner the thread or handle that uses it
     * @param lockName the name of the read/write lock
     */
    public LockSide {
        Objects.requireNonNull(access, "access");
        Objects.requireNonNull(owner, "owner");
        Objects.requireNonNull(lockName, "lockName");
    }

    /**
     * Returns the name under which the engine knows this side.
     *
     * @return the name of a claim for this side
     */
    public String key() {
        return "" + MARK + access.letter + owner + END_OF_OWNER + lockName;
    }

    /**
     * Returns the side that a name stands for.
     *
     * @param key the name of a claim
     * @return the side, or empty if the name is that of a plain lock
     */
    public static Optional<LockSide> of(String key) {
        if (!isSide(key)) {
            return Optional.empty();
        }
        Access access = key.charAt(1) == Access.READ.letter ? Access.READ : Access.WRITE;
        int end = key.indexOf(END_OF_OWNER);
        return Optional.of(new LockSide(access, key.substring(2, end), key.substring(end + 1)));
    }

    /**
     * Tells whether a name stands for a side of a read/write lock.
     *
     * @param key the name of a claim
     * @return {@code false} if it is the name of a plain lock
     */
    public static boolean isSide(String key) {
        return !key.isEmpty() && key.charAt(0) == MARK;
    }

    /**
     * Returns the name that users know.
     *
     * @param key the name of a claim
     * @return the name of the lock or read/write lock
     */
    public static String lockName(String key) {
        return isSide(key) ? key.substring(key.indexOf(END_OF_OWNER) + 1) : key;
    }
}
