// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.actor;

import java.time.Duration;
import java.util.Date;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

/**
 * One of the methods of {@link java.util.concurrent.locks.Condition} that wait.
 *
 * @param what the call, as failure messages name it
 * @param isInterruptible whether an interrupt ends it
 * @param call makes the call; returns {@code false} if the call says that its time is over
 */
@SuppressWarnings({"WaitNotInLoop", "JavaUtilDate"
}) // Rules check single waits; Condition prescribes the type of the date.
public record WaitKind(String what, boolean isInterruptible, Call call) {
    /** Makes the call. */
    public interface Call {
        boolean on(Condition condition) throws InterruptedException;
    }

    private static final Duration LONG = Duration.ofHours(1);

    public static final WaitKind AWAIT = new WaitKind("await()", true, condition -> {
        condition.await();
        return true;
    });

    public static final WaitKind UNINTERRUPTIBLY = new WaitKind("awaitUninterruptibly()", false, condition -> {
        condition.awaitUninterruptibly();
        return true;
    });

    /** All kinds; the timed ones have more time than any test takes. */
    public static final List<WaitKind> ALL = List.of(
            AWAIT,
            UNINTERRUPTIBLY,
            timedKinds(LONG).get(0),
            timedKinds(LONG).get(1),
            timedKinds(LONG).get(2));

    /** The kinds that take a time. */
    public static List<WaitKind> timedKinds(Duration time) {
        return List.of(
                new WaitKind("awaitNanos(" + time + ")", true, condition -> condition.awaitNanos(time.toNanos()) > 0),
                timed(time),
                new WaitKind("awaitUntil(" + time + ")", true, condition -> condition.awaitUntil(dateAfter(time))));
    }

    public static WaitKind timed(Duration time) {
        return new WaitKind(
                "await(" + time + ")", true, condition -> condition.await(time.toNanos(), TimeUnit.NANOSECONDS));
    }

    /** The kinds that an interrupt ends. */
    public static List<WaitKind> interruptible() {
        return ALL.stream().filter(WaitKind::isInterruptible).toList();
    }

    /** Counts from the end of the present millisecond, so that the date is not too early. */
    private static Date dateAfter(Duration time) {
        return new Date(System.currentTimeMillis() + 1 + time.toMillis());
    }

    public boolean await(Condition condition) throws InterruptedException {
        return call.on(condition);
    }
}
