// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.loss;

import dev.interlock.engine.observe.QuietLog;
import dev.interlock.engine.readwrite.ReadWriteLocks;
import java.lang.ref.Cleaner;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * Detects factories and handles that were garbage-collected without having been closed, and whose locks would be
 * renewed for ever. Logs where they were created, and lets their leases end.
 */
public final class LeakDetector {
    private static final QuietLog LOG = QuietLog.of(LeakDetector.class);

    private static final Cleaner CLEANER = Cleaner.create();

    private static final String LIBRARY = "dev.interlock.";

    /** The classes whose frames {@link #caller} skips. */
    private static final Set<String> OURS = Set.of(
            LeakDetector.class.getName(),
            "dev.interlock.engine.LeaseView$OfHandle",
            "dev.interlock.engine.EngineLock",
            "dev.interlock.engine.LockEngine$OfSeveral",
            "dev.interlock.engine.several.SeveralLock");

    /** The hold of an unclosed handle, as this class sees it. */
    public interface Held {
        String lockName();

        boolean isHeld();

        /** Stops the renewal: no owner is left to release the hold. */
        void drop();
    }

    private LeakDetector() {}

    /**
     * Registers an action to run when an object is dropped, or at {@link Cleaner.Cleanable#clean}, whichever comes
     * first.
     */
    public static Cleaner.Cleanable watch(Object dropped, Runnable action) {
        return CLEANER.register(dropped, action);
    }

    /** Runs an action after some later garbage collection. Retries use it because it needs no thread of their own. */
    public static void afterNextCollection(Runnable action) {
        CLEANER.register(new Object(), action);
    }

    /** Returns the place in the program from which a lock was called. */
    public static String caller() {
        return caller(frame -> OURS.contains(frame.getClassName())
                || ReadWriteLocks.class
                        .getPackageName()
                        .equals(frame.getDeclaringClass().getPackageName()));
    }

    /** Returns the first frame outside Interlock. */
    private static String caller(Predicate<StackWalker.StackFrame> ours) {
        return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
                .walk(frames -> frames.filter(ours.negate()).findFirst())
                .map(StackWalker.StackFrame::toString)
                .orElse("an unknown place");
    }

    /** Handles a dropped factory. Does nothing if the factory is closed. */
    public static final class OfFactory implements Runnable {
        private final String strategy;
        private final BooleanSupplier open;
        private final Runnable close;
        private final String place;

        /**
         * @param open whether the factory is open
         * @param close lets its leases end, and closes it
         */
        public OfFactory(String strategy, BooleanSupplier open, Runnable close) {
            this.strategy = strategy;
            this.open = open;
            this.close = close;
            // Frames of the strategy are between the program and the engine.
            this.place = caller(frame -> frame.getClassName().startsWith(LIBRARY));
        }

        @Override
        public void run() {
            if (open.getAsBoolean()) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "a lock factory of strategy \"" + strategy
                                + "\" was dropped without being closed; its locks are"
                                + " not renewed any more. It was made at " + place);
                close.run();
            }
        }
    }

    /** Handles a dropped handle. Does nothing if the handle is closed. */
    public static final class OfHandle implements Runnable {
        private final Held hold;
        private final String place;

        public OfHandle(Held hold, String place) {
            this.hold = hold;
            this.place = place;
        }

        @Override
        public void run() {
            if (hold.isHeld()) {
                hold.drop();
                LOG.log(
                        System.Logger.Level.WARNING,
                        "a handle of lock \"" + hold.lockName()
                                + "\" was dropped without being closed; it is not renewed"
                                + " any more, and the lock is free when its lease ends. It was acquired at " + place);
            }
        }
    }
}
