// SPDX-License-Identifier: Apache-2.0
package dev.interlock.micrometer;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An observation whose handlers and conventions cannot fail a lock: their exceptions are logged once. Otherwise, an
 * exception after an acquisition would leave the lock held by a caller that does not know it.
 */
final class SafeObservation {
    private static final System.Logger LOG = System.getLogger(SafeObservation.class.getPackageName());
    private static final AtomicBoolean LOGGED = new AtomicBoolean();

    private final ObservationRegistry registry;
    private @Nullable Observation observation;
    private Observation.@Nullable Scope scope;
    private Observation.@Nullable Scope outerScope;

    private SafeObservation(ObservationRegistry registry) {
        this.registry = registry;
    }

    static SafeObservation start(ObservationRegistry registry, Supplier<Observation> made) {
        SafeObservation safe = new SafeObservation(registry);
        safely(() -> safe.observation = made.get().start());
        return safe;
    }

    /** Makes this the current observation of the thread, until it is stopped on the same thread. */
    void openScope() {
        Observation started = observation;
        if (started != null) {
            outerScope = registry.getCurrentObservationScope();
            if (!safely(() -> scope = started.openScope())) {
                leaveScope();
            }
        }
    }

    /** A scope whose handlers fail stays the current one. */
    private void leaveScope() {
        registry.setCurrentObservationScope(outerScope);
    }

    void error(Throwable error) {
        Observation started = observation;
        if (started != null) {
            safely(() -> started.error(error));
        }
    }

    void stop() {
        Observation.Scope opened = scope;
        if (opened != null && !safely(opened::close)) {
            leaveScope();
        }
        Observation started = observation;
        if (started != null) {
            safely(started::stop);
        }
    }

    private static boolean safely(Runnable action) {
        try {
            action.run();
            return true;
        } catch (Throwable e) {
            if (LOGGED.compareAndSet(false, true)) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "an observation of a lock failed in a handler or a convention; the locks are not affected, and"
                                + " further failures are not logged",
                        e);
            }
            return false;
        }
    }
}
