// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.engine.observe.QuietLog;
import java.lang.ref.Cleaner;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Notices factories and handles that the garbage collector found to be dropped without having been closed: their locks would be
 * renewed for ever. Says where they came from, and lets their leases end.
 */
final class Drops {
    private static final QuietLog LOG = QuietLog.of(Drops.class);

    private static final Cleaner CLEANER = Cleaner.create();

    private static final String LIBRARY = "dev.interlock.";

    private static final Set<Class<?>> OURS =
            Set.of(Drops.class, HandleView.class, EngineLock.class, AsyncAcquisition.class);

    private Drops() {}

    /** Has an action run when an object is dropped, or at once by {@link Cleaner.Cleanable#clean}, whichever comes first. */
    static Cleaner.Cleanable watch(Object dropped, Runnable action) {
        return CLEANER.register(dropped, action);
    }

    /** Has an action run once more garbage is collected: a second try that needs no thread. */
    static void afterNextCollection(Runnable action) {
        CLEANER.register(new Object(), action);
    }

    /** Returns the place in the program from which a lock was called. */
    static String caller() {
        return caller(frame -> OURS.contains(frame.getDeclaringClass()));
    }

    /** Returns the first frame that is none of ours. */
    private static String caller(Predicate<StackWalker.StackFrame> ours) {
        return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
                .walk(frames -> frames.filter(ours.negate()).findFirst())
                .map(StackWalker.StackFrame::toString)
                .orElse("an unknown place");
    }

    /** What is done about a factory that was dropped; nothing if it is closed. */
    static final class OfFactory implements Runnable {
        private final EngineCore core;
        private final String strategy;
        private final String place;

        OfFactory(EngineCore core, String strategy) {
            this.core = core;
            this.strategy = strategy;
            // Between the program and the engine there is a strategy, too.
            this.place = caller(frame -> frame.getClassName().startsWith(LIBRARY));
        }

        @Override
        public void run() {
            if (core.isOpen()) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "a lock factory of strategy \"" + strategy
                                + "\" was dropped without being closed; its locks are"
                                + " not renewed any more. It was made at " + place);
                core.closeWhenExpired();
            }
        }
    }

    /** What is done about a handle that was dropped; nothing if it is closed. */
    static final class OfHandle implements Runnable {
        private final Hold hold;
        private final String place;

        OfHandle(Hold hold, String place) {
            this.hold = hold;
            this.place = place;
        }

        @Override
        public void run() {
            if (hold.state == Hold.State.HELD) {
                hold.dropped = true;
                LOG.log(
                        System.Logger.Level.WARNING,
                        "a handle of lock \"" + hold.lockName()
                                + "\" was dropped without being closed; it is not renewed"
                                + " any more, and the lock is free when its lease ends. It was acquired at " + place);
            }
        }
    }
}
