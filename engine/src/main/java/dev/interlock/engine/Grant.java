// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What the backend has given: a claim that holds the lock, until when, and the fencing tokens that came with it. It passes from
 * tenure to tenure when the lock is handed over locally. Fields are guarded by the cell's mutex except where they are volatile.
 */
final class Grant {
    final Cell cell;
    final Claim claim;
    volatile Validity validity;

    /** Who has it now. */
    @Nullable
    Tenure tenure;

    /** Its place among those to be renewed, and among those that end. */
    DueWorker.@Nullable Entry<Grant> renewalEntry;

    DueWorker.@Nullable Entry<Grant> expiryEntry;

    /** Whether a renewal was sent to which no answer has come, so that the backend may hold it for longer than we know. */
    boolean renewalUnanswered;

    private int renewalsOnTheirWay;

    private final OptionalLong firstFence;

    private int fencesTaken;

    Grant(Cell cell, Claim claim, Validity validity, OptionalLong firstFence) {
        this.cell = cell;
        this.claim = claim;
        this.validity = validity;
        this.firstFence = firstFence;
    }

    /** Takes the next of the reserved fencing tokens; under the mutex. */
    OptionalLong takeFence() {
        int before = fencesTaken++;
        return before == 0 || firstFence.isEmpty() ? firstFence : OptionalLong.of(firstFence.getAsLong() + before);
    }

    /** Notes that a renewal is sent; under the mutex. */
    void renewalBegins() {
        renewalsOnTheirWay++;
        renewalUnanswered = true;
    }

    /** Notes that a renewal has come to an end, with or without an answer; under the mutex. */
    void renewalEnds() {
        renewalsOnTheirWay--;
    }

    /** Notes what a renewal has given; under the mutex, since two may end at once. */
    void extend(Validity renewed) {
        renewalUnanswered = renewalsOnTheirWay > 0;
        validity = renewed.notBefore(validity);
    }
}
