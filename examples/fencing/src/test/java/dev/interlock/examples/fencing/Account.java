// SPDX-License-Identifier: Apache-2.0
package dev.interlock.examples.fencing;

/** An account in a store that refuses late writers. */
interface Account {
    /** Sets the balance, and returns whether the store let the holder of this token do it. */
    boolean setBalance(long token, long balance) throws Exception;

    long balance() throws Exception;
}
