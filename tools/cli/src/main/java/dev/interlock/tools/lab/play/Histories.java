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
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** The history of the calls of a cell's clients and their outcomes, for the kit's checker. */
public final class Histories {
    private Histories() {}

    static dev.interlock.conformance.history.Verdict judge(List<Event> history, boolean fenced) {
        return new Checker(new Model(true, fenced)).check(history);
    }

    /**
     * Returns whether holds that overlap are all that is wrong with a history with fencing tokens: whether it becomes
     * that of a correct lock if each hold is taken to have ended when a greater token was granted.
     */
    static boolean onlyOverlaps(List<Event> history) {
        Map<String, Event> overlapped = new HashMap<>();
        List<Event> ends = new ArrayList<>();
        for (Event grant : grants(history).toList()) {
            grants(history)
                    .filter(next -> next.fence().getAsLong() > grant.fence().getAsLong())
                    .filter(next -> next.nanos() >= grant.nanos())
                    .min(Comparator.comparingLong(Event::nanos))
                    .ifPresent(next -> {
                        overlapped.put(grant.process(), next);
                        ends.add(lost(grant, next.nanos()));
                    });
        }
        Stream<Event> rest = history.stream()
                .filter(event -> event.op() == Event.Op.ACQUIRE
                        || !overlapped.containsKey(event.process())
                        || event.nanos() < overlapped.get(event.process()).nanos());
        return judge(Stream.concat(ends.stream(), rest).toList(), true).isValid();
    }

    private static Stream<Event> grants(List<Event> history) {
        return history.stream()
                .filter(event -> event.op() == Event.Op.ACQUIRE
                        && event.type() == Event.Type.OK
                        && event.fence().isPresent());
    }

    /** Writes a history as JSON lines, and for Knossos. */
    static void write(List<Event> history, String lock, Path directory, String name) {
        JsonLines.write(directory.resolve(name + ".jsonl"), history);
        KnossosEdn.write(directory.resolve(name + ".edn"), history, lock);
    }

    static List<Event> of(List<LabClient> clients, List<Moment> moments) {
        List<Event> events = new ArrayList<>();
        for (LabClient client : clients) {
            List<Event> own = JsonLines.read(Path.of(client.history()));
            events.addAll(own);
            moments.stream()
                    .filter(moment ->
                            moment.what() == What.KILLED && moment.who().equals(client.who()))
                    .forEach(killed -> end(own, killed.nanos()).ifPresent(events::add));
        }
        return events;
    }

    /** Returns the end of the hold of a killed process: a dead process holds no lock. */
    private static Optional<Event> end(List<Event> events, long nanos) {
        if (events.isEmpty()) {
            return Optional.empty();
        }
        Event last = events.get(events.size() - 1);
        return last.op() == Event.Op.ACQUIRE && last.type() == Event.Type.OK
                ? Optional.of(lost(last, Math.max(nanos, last.nanos())))
                : Optional.empty();
    }

    /** Returns the loss, at a time, of what was granted. */
    private static Event lost(Event grant, long nanos) {
        return new Event(
                grant.sequence() + 1,
                nanos,
                grant.process(),
                Event.Type.OK,
                Event.Op.LOST,
                grant.lock(),
                grant.fence(),
                OptionalLong.empty(),
                Optional.empty());
    }
}
