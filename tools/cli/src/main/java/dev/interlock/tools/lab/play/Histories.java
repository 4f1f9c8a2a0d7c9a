// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab.play;

import dev.interlock.conformance.history.Checker;
import dev.interlock.conformance.history.Event;
import dev.interlock.conformance.history.JsonLines;
import dev.interlock.conformance.history.Model;
import dev.interlock.tools.lab.evidence.Moment;
import dev.interlock.tools.lab.evidence.Moment.What;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The history of what the lock told the clients of a cell, for the kit's checker. */
public final class Histories {
    private Histories() {}

    public static dev.interlock.conformance.history.Verdict judge(
            List<LabClient> clients, List<Moment> moments, String lock, boolean fenced) {
        List<Event> events = new ArrayList<>();
        for (LabClient client : clients) {
            List<Event> own = JsonLines.read(Path.of(client.history()));
            events.addAll(own);
            moments.stream()
                    .filter(moment ->
                            moment.what() == What.KILLED && moment.who().equals(client.who()))
                    .forEach(killed -> end(own, killed.nanos(), lock).ifPresent(events::add));
        }
        return new Checker(new Model(true, fenced)).check(events);
    }

    /** Returns the end of the hold of a killed process: a dead process holds no lock. */
    private static Optional<Event> end(List<Event> events, long nanos, String lock) {
        if (events.isEmpty()) {
            return Optional.empty();
        }
        Event last = events.get(events.size() - 1);
        return last.op() == Event.Op.ACQUIRE && last.type() == Event.Type.OK
                ? Optional.of(new Event(
                        last.sequence() + 1,
                        nanos,
                        last.process(),
                        Event.Type.OK,
                        Event.Op.LOST,
                        lock,
                        last.fence(),
                        OptionalLong.empty(),
                        Optional.empty()))
                : Optional.empty();
    }
}
