// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.observe;

import dev.interlock.ServerStatus;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.FlightRecorderListener;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/**
 * Lets JDK Flight Recorder ask periodically for the status of a factory's servers. Does not initialize the recorder,
 * since that takes time and most programs never record. Safe to use from any thread.
 */
final class ServerRecorder implements FlightRecorderListener {
    private final String strategy;
    private final Supplier<List<ServerStatus>> states;
    private final Runnable hook = this::record;

    ServerRecorder(String strategy, Supplier<List<ServerStatus>> states) {
        this.strategy = strategy;
        this.states = states;
    }

    void start() {
        FlightRecorder.addListener(this);
    }

    @Override
    public void recorderInitialized(FlightRecorder recorder) {
        FlightRecorder.addPeriodicEvent(ServerEvent.class, hook);
    }

    private void record() {
        states.get().forEach(state -> ServerEvent.of(strategy, state).commit());
    }

    void stop() {
        FlightRecorder.removeListener(this);
        FlightRecorder.removePeriodicEvent(hook);
    }

    @Name("dev.interlock.Server")
    @Label("Lock Server")
    @Description("The status of one of several independent servers, as a factory of distributed locks sees it")
    @Category("Interlock")
    @Period("10 s")
    @StackTrace(false)
    static final class ServerEvent extends Event {
        @Label("Strategy")
        @Nullable
        String strategy;

        @Label("Server")
        @Nullable
        String server;

        @Label("Connected")
        boolean connected;

        @Label("Voting")
        @Description("Whether the server's vote counts when a lock is acquired")
        boolean voting;

        @Label("Votes In")
        @Description("How long it takes until the server votes, for example after a restart")
        @Timespan(Timespan.NANOSECONDS)
        long votesIn = FlightRecorderEvents.UNKNOWN;

        @Label("Condition")
        @Description("What keeps the server from voting")
        @Nullable
        String condition;

        @Label("Unanswered Requests")
        int unanswered;

        @Label("Waiting Requests")
        @Description("Requests that wait until the server can be sent them")
        int waiting;

        @Label("Owing")
        @Description("How long the oldest unanswered request has been waiting for its answer")
        @Timespan(Timespan.NANOSECONDS)
        long owing;

        @Label("Latency")
        @Description("The shortest of the last times from a request to its reply")
        @Timespan(Timespan.NANOSECONDS)
        long latency = FlightRecorderEvents.UNKNOWN;

        @Label("Connections")
        @Description("How many connections were opened one after the other")
        long connections;

        static ServerEvent of(String strategy, ServerStatus state) {
            ServerEvent event = new ServerEvent();
            event.strategy = strategy;
            event.server = state.server();
            event.connected = state.connected();
            event.voting = state.voting();
            event.votesIn = state.votesIn().map(Duration::toNanos).orElse(FlightRecorderEvents.UNKNOWN);
            event.condition = state.condition();
            event.unanswered = state.unanswered();
            event.waiting = state.waiting();
            event.owing = state.owing().toNanos();
            event.latency = state.latency().isZero()
                    ? FlightRecorderEvents.UNKNOWN
                    : state.latency().toNanos();
            event.connections = state.connections();
            return event;
        }
    }
}
