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
public record RequestFault(Answer answer, Effect effect, Duration before, Duration after) {
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

    private static RequestFault of(Answer answer, Effect effect) {
        return new RequestFault(answer, effect, Duration.ZERO, Duration.ZERO);
    }

    public static RequestFault none() {
        return of(Answer.TRUE, Effect.DONE);
    }

    public static RequestFault unreachable() {
        return of(Answer.UNREACHABLE, Effect.NONE);
    }

    public static RequestFault refused() {
        return of(Answer.REFUSED, Effect.NONE);
    }

    public static RequestFault lostRequest() {
        return of(Answer.UNKNOWN, Effect.NONE);
    }

    public static RequestFault lostReply() {
        return of(Answer.UNKNOWN, Effect.DONE);
    }

    /** The caller gives up, and the request is executed a while later. */
    public static RequestFault lateEffect(Duration later) {
        return new RequestFault(Answer.UNKNOWN, Effect.LATE, Duration.ZERO, later);
    }

    public static RequestFault exception() {
        return of(Answer.EXCEPTION, Effect.NONE);
    }

    public static RequestFault exceptionAfterEffect() {
        return of(Answer.EXCEPTION, Effect.DONE);
    }

    /** An exception that the method does not declare, as code in other languages throws them. */
    public static RequestFault checkedException() {
        return of(Answer.CHECKED_EXCEPTION, Effect.DONE);
    }

    public static RequestFault error() {
        return of(Answer.ERROR, Effect.NONE);
    }

    public static RequestFault slowRequest(Duration time) {
        return none().before(time);
    }

    public static RequestFault slowReply(Duration time) {
        return new RequestFault(Answer.TRUE, Effect.DONE, Duration.ZERO, time);
    }

    public RequestFault before(Duration time) {
        return new RequestFault(answer, effect, time, after);
    }
}
