// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.observe;

import dev.interlock.LockBackendException;
import dev.interlock.LockListener;
import dev.interlock.LockListener.Acquired;
import dev.interlock.LockListener.Lost;
import dev.interlock.LockListener.OutageBegan;
import dev.interlock.LockListener.OutageEnded;
import dev.interlock.LockListener.QueueChanged;
import dev.interlock.LockListener.Released;
import dev.interlock.LockListener.RenewalFailed;
import dev.interlock.LockListener.Renewed;
import dev.interlock.LockListener.Requested;
import dev.interlock.LossCause;
import dev.interlock.ServerStatus;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells the listeners of one factory, and JDK Flight Recorder, what its locks do. Safe to use from any thread.
 *
 * <p>No method waits, throws or calls a listener. A method may start the thread that calls listeners, by the
 * application's thread factory, and so must not be called within a monitor. While {@link #isOn} is {@code false}, no
 * method does anything; the engine checks it before it reads a clock for an event.
 */
public final class Observer {
    private final String strategy;
    private final @Nullable Dispatcher dispatcher;
    private final @Nullable FlightRecorderEvents recorder;
    private final RateLimitedLog failures;
    private @Nullable ServerRecorder servers;

    private Observer(
            String strategy, Host host, @Nullable Dispatcher dispatcher, @Nullable FlightRecorderEvents recorder) {
        this.strategy = strategy;
        this.dispatcher = dispatcher;
        this.recorder = recorder;
        this.failures = new RateLimitedLog(
                host.nanoTime(),
                count -> "events of locks could not be told (" + count
                        + " since this was last logged); the locks are not affected");
    }

    /**
     * Creates the observer of a factory. Starts no thread.
     *
     * @param listeners the listeners of the factory, possibly none
     * @param host the factory's source of time, waiting and threads
     * @param strategy the name of the factory's strategy
     * @return the observer
     */
    public static Observer of(List<LockListener> listeners, Host host, String strategy) {
        Dispatcher dispatcher = listeners.isEmpty() ? null : new Dispatcher(listeners, host, strategy);
        return new Observer(strategy, host, dispatcher, recorder(strategy));
    }

    /** Returns {@code null} in a runtime without the module {@code jdk.jfr}, where the class cannot be linked. */
    private static @Nullable FlightRecorderEvents recorder(String strategy) {
        try {
            return new FlightRecorderEvents(strategy);
        } catch (LinkageError e) {
            return null;
        }
    }

    /**
     * Records the status of the factory's servers periodically, until this observer is closed. Called at most once,
     * before the other methods.
     *
     * @param states returns the status of the servers; must not block
     */
    public void recordServers(Supplier<List<ServerStatus>> states) {
        if (recorder != null && !states.get().isEmpty()) {
            servers = new ServerRecorder(strategy, states);
            servers.start();
        }
    }

    /**
     * Tells whether a listener is registered, or a recording has one of the events enabled.
     *
     * @return {@code true} if an event would reach somebody
     */
    public boolean isOn() {
        return dispatcher != null || (recorder != null && recorder.isOn());
    }

    /** A thread asks for a lock that it does not hold. */
    public void requested(String name) {
        try {
            if (dispatcher != null) {
                Requested event = new Requested(strategy, name);
                dispatcher.add(listener -> listener.requested(event));
            }
        } catch (Throwable e) {
            failures.add(e);
        }
    }

    /**
     * A lock was acquired, by the current thread.
     *
     * @param waitedNanos the time since the request
     * @param attempts how often this acquisition asked the backend
     * @param local whether it was handed over within the factory
     * @param fencingToken the fencing token, if there is one
     */
    public void acquired(String name, long waitedNanos, int attempts, boolean local, OptionalLong fencingToken) {
        try {
            if (dispatcher != null) {
                Acquired event =
                        new Acquired(strategy, name, Duration.ofNanos(waitedNanos), attempts, local, fencingToken);
                dispatcher.add(listener -> listener.acquired(event));
            }
            if (recorder != null) {
                recorder.acquired(name, waitedNanos, attempts, local, fencingToken);
            }
        } catch (Throwable e) {
            failures.add(e);
        }
    }

    /** The last hold was given up. */
    public void released(String name, long heldNanos) {
        try {
            if (dispatcher != null) {
                Released event = new Released(strategy, name, Duration.ofNanos(heldNanos));
                dispatcher.add(listener -> listener.released(event));
            }
            if (recorder != null) {
                recorder.released(name, heldNanos);
            }
        } catch (Throwable e) {
            failures.add(e);
        }
    }

    /**
     * A lease was renewed.
     *
     * @param tookNanos how long the request took
     * @param remaining how long the lease is valid from now on
     */
    public void renewed(String name, long tookNanos, Duration remaining) {
        try {
            if (dispatcher != null) {
                Renewed event = new Renewed(strategy, name, Duration.ofNanos(tookNanos), remaining);
                dispatcher.add(listener -> listener.renewed(event));
            }
            if (recorder != null) {
                recorder.renewed(name, tookNanos, remaining);
            }
        } catch (Throwable e) {
            failures.add(e);
        }
    }

    /** A lease could not be renewed now. */
    public void renewalFailed(String name, LockBackendException cause) {
        try {
            if (dispatcher != null) {
                RenewalFailed event = new RenewalFailed(strategy, name, cause);
                dispatcher.add(listener -> listener.renewalFailed(event));
            }
            if (recorder != null) {
                recorder.renewalFailed(name, cause);
            }
        } catch (Throwable e) {
            failures.add(e);
        }
    }

    /** A lock was lost. */
    public void lost(String name, LossCause cause, long heldNanos) {
        try {
            if (dispatcher != null) {
                Lost event = new Lost(strategy, name, cause, Duration.ofNanos(heldNanos));
                dispatcher.add(listener -> listener.lost(event));
            }
            if (recorder != null) {
                recorder.lost(name, cause, heldNanos);
            }
        } catch (Throwable e) {
            failures.add(e);
        }
    }

    /** The backend stopped answering those who wait for a lock. */
    public void outageBegan(String name, LockBackendException cause) {
        try {
            if (dispatcher != null) {
                OutageBegan event = new OutageBegan(strategy, name, cause);
                dispatcher.add(listener -> listener.outageBegan(event));
            }
            if (recorder != null) {
                recorder.outageBegan(name, cause);
            }
        } catch (Throwable e) {
            failures.add(e);
        }
    }

    /** The backend answers again. */
    public void outageEnded(String name, long lastedNanos) {
        try {
            if (dispatcher != null) {
                OutageEnded event = new OutageEnded(strategy, name, Duration.ofNanos(lastedNanos));
                dispatcher.add(listener -> listener.outageEnded(event));
            }
            if (recorder != null) {
                recorder.outageEnded(name, lastedNanos);
            }
        } catch (Throwable e) {
            failures.add(e);
        }
    }

    /** The number of threads that wait for a lock has changed. */
    public void queueLength(String name, int length) {
        try {
            if (dispatcher != null) {
                QueueChanged event = new QueueChanged(strategy, name, length);
                dispatcher.add(listener -> listener.queueChanged(event));
            }
        } catch (Throwable e) {
            failures.add(e);
        }
    }

    /**
     * Lets the thread that calls the listeners end as soon as it has delivered the queued events. Does not wait for it.
     */
    public void close() {
        try {
            if (dispatcher != null) {
                dispatcher.close();
            }
            if (servers != null) {
                servers.stop();
            }
        } catch (Throwable e) {
            failures.add(e);
        }
    }
}
