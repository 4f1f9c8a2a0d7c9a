// SPDX-License-Identifier: Apache-2.0
package com.example.ledger;

/** Thrown if a row has been written under a later lock. */
public final class StaleTokenException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    StaleTokenException(long account, long token) {
        super("account " + account + " was written by a later holder of its lock than the one with token " + token);
    }
}
