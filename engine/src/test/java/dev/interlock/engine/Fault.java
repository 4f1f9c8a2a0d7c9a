// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import java.time.Duration;

/**
 * A fault of one request.
 *
 * @param answer the answer that the caller gets
 * @param effect the effect of the request on the server
 * @param before how long the request takes to the server
 * @param after how long the answer takes, or how much later than the answer the effect comes
 */
record Fault(Answer answer, Effect effect, Duration before, Duration after) {
    enum Answer {
        TRUE,
        UNREACHABLE,
        REFUSED,
        UNKNOWN,
        EXCEPTION,
        CHECKED_EXCEPTION,
        ERROR
    }

    enum Effect {
        DONE,
        NONE,
        LATE
    }

    private static Fault of(Answer answer, Effect effect) {
        return new Fault(answer, effect, Duration.ZERO, Duration.ZERO);
    }

    static Fault none() {
        return of(Answer.TRUE, Effect.DONE);
    }

    static Fault unreachable() {
        return of(Answer.UNREACHABLE, Effect.NONE);
    }

    static Fault refused() {
        return of(Answer.REFUSED, Effect.NONE);
    }

    static Fault lostRequest() {
        return of(Answer.UNKNOWN, Effect.NONE);
    }

    static Fault lostReply() {
        return of(Answer.UNKNOWN, Effect.DONE);
    }

    /** The caller gives up, and the request is executed a while later. */
    static Fault lateEffect(Duration later) {
        return new Fault(Answer.UNKNOWN, Effect.LATE, Duration.ZERO, later);
    }

    static Fault exception() {
        return of(Answer.EXCEPTION, Effect.NONE);
    }

    static Fault exceptionAfterEffect() {
        return of(Answer.EXCEPTION, Effect.DONE);
    }

    /** An exception that the method does not declare, as code in other languages throws them. */
    static Fault checkedException() {
        return of(Answer.CHECKED_EXCEPTION, Effect.DONE);
    }

    static Fault error() {
        return of(Answer.ERROR, Effect.NONE);
    }

    static Fault slowRequest(Duration time) {
        return none().before(time);
    }

    static Fault slowReply(Duration time) {
        return new Fault(Answer.TRUE, Effect.DONE, Duration.ZERO, time);
    }

    Fault before(Duration time) {
        return new Fault(answer, effect, time, after);
    }
}
