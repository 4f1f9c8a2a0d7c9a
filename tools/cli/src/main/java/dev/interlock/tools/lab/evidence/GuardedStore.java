// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab.evidence;

import org.jspecify.annotations.Nullable;

/**
 * A value that clients read, change and write back under a lock. Not safe for use by several threads at once.
 *
 * <p>A store that checks fencing tokens remembers the largest that it has seen, in reads too, and refuses smaller ones.
 * A client without a token is not checked.
 */
public final class GuardedStore {
    private final boolean checksTokens;
    private long version;
    private long largest;

    public GuardedStore(boolean checksTokens) {
        this.checksTokens = checksTokens;
    }

    /** The outcome of a write. */
    public enum Write {
        /** It changed the version that its writer had read. */
        ACCEPTED,
        /** It overwrote a version that another client had written after its writer read. */
        STALE,
        /** It came with a token that is smaller than one seen before. */
        REFUSED
    }

    /** Returns the present version, which a write must name. */
    public long read(@Nullable Long token) {
        if (token != null) {
            largest = Math.max(largest, token);
        }
        return version;
    }

    public Write write(@Nullable Long token, long basedOn) {
        if (checksTokens && token != null && token < largest) {
            return Write.REFUSED;
        }
        read(token);
        boolean stale = basedOn != version;
        version++;
        return stale ? Write.STALE : Write.ACCEPTED;
    }
}
