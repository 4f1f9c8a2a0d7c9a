// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import java.lang.ref.Cleaner;
import java.util.Set;

/**
 * Notices factories and handles that the garbage collector found to be dropped without having been closed: their locks would be
 * renewed for ever. Says where they came from, and lets their leases end.
 */
final class Drops {
    private static final System.Logger LOG = System.getLogger(Drops.class.getPackageName());

    private static final Cleaner CLEANER = Cleaner.create();

    private static final String LIBRARY = "dev.interlock.";

    private static final Set<Class<?>> OURS = Set.of(Drops.class, EngineLock.class, LockEngine.class, HandleView.class);

    private Drops() {}

    /** Has an action run when an object is dropped, or at once by {@link Cleaner.Cleanable#clean}, whichever comes first. */
    static Cleaner.Cleanable watch(Object dropped, Runnable action) {
        return CLEANER.register(dropped, action);
    }

    /** Where the program called us: the first frame outside of this library, or of this class's users if there is none. */
    private static String caller() {
        StackWalker walker = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
        return walker.walk(
                        frames -> frames.filter(frame -> !frame.getClassName().startsWith(LIBRARY))
                                .findFirst())
                .or(() -> walker.walk(frames -> frames.filter(frame -> !OURS.contains(frame.getDeclaringClass()))
                        .findFirst()))
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
            this.place = caller();
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

        OfHandle(Hold hold) {
            this.hold = hold;
            this.place = caller();
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
