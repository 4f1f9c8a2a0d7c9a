// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab.play;

import dev.interlock.conformance.history.Checker;
import dev.interlock.conformance.history.Event;
import dev.interlock.conformance.history.JsonLines;
import dev.interlock.conformance.history.KnossosEdn;
import dev.interlock.conformance.history.Model;
import dev.interlock.tools.lab.evidence.Moment;
import dev.interlock.tools.lab.evidence.Moment.What;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The history of the calls of a cell's clients and their outcomes, for the kit's checker. */
public final class Histories {
    private Histories() {}

    static dev.interlock.conformance.history.Verdict judge(List<Event> history, boolean fenced) {
        return new Checker(new Model(true, fenced)).check(history);
    }

    /** Writes a history as JSON lines, and for Knossos. */
    static void write(List<Event> history, String lock, Path directory, String name) {
        JsonLines.write(directory.resolve(name + ".jsonl"), history);
        KnossosEdn.write(directory.resolve(name + ".edn"), history, lock);
    }

    static List<Event> of(List<LabClient> clients, List<Moment> moments, String lock) {
        List<Event> events = new ArrayList<>();
        for (LabClient client : clients) {
            List<Event> own = JsonLines.read(Path.of(client.history()));
            events.addAll(own);
            moments.stream()
                    .filter(moment ->
                            moment.what() == What.KILLED && moment.who().equals(client.who()))
                    .forEach(killed -> end(own, killed.nanos(), lock).ifPresent(events::add));
        }
        return events;
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
                        Math.max(nanos, last.nanos()),
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
