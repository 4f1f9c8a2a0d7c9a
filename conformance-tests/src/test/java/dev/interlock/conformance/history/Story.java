// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.history;

import dev.interlock.conformance.history.Event.Op;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Histories as lines such as {@code "p acquire 1-2 fence 5 valid 10"}, {@code "p release 3-4 fail"},
 * {@code "p acquire 1-?"} for a call without an end, {@code "p release 3-4 unknown"}, {@code "p lost 7"}, and
 * {@code "p lost 7 told 9"} for a loss that is recorded late; {@code "p release@b 3-4"} is about lock b.
 */
final class Story {
    private static final Pattern LINE = Pattern.compile("(?<process>\\S+) (?<op>acquire|release|lost)(@(?<lock>\\w+))? "
            + "(?<begin>\\d+)(-(?<end>\\d+|\\?))?( fence (?<fence>\\d+))?( valid (?<valid>\\d+))?( told (?<told>\\d+))?"
            + "( (?<type>fail|unknown))?");

    private Story() {}

    static List<Event> of(String... lines) {
        List<Told> story = new ArrayList<>();
        for (String line : lines) {
            Matcher matcher = LINE.matcher(line);
            if (!matcher.matches()) {
                throw new IllegalArgumentException(line);
            }
            add(story, matcher);
        }
        // Sorted by time; events of the same time stay in the order of the lines.
        story.sort(Comparator.comparingLong(Told::nanos));
        List<Event> numbered = new ArrayList<>();
        for (Told told : story) {
            Event event = told.event();
            numbered.add(new Event(
                    numbered.size(),
                    event.nanos(),
                    event.process(),
                    event.type(),
                    event.op(),
                    event.lock(),
                    event.fence(),
                    event.validNanos(),
                    event.error()));
        }
        return numbered;
    }

    /** An event, and when it was recorded. */
    private record Told(Event event, long nanos) {
        static Told atOnce(Event event) {
            return new Told(event, event.nanos());
        }
    }

    private static void add(List<Told> story, Matcher line) {
        Op op = Op.valueOf(line.group("op").toUpperCase(Locale.ROOT));
        long begin = Long.parseLong(line.group("begin"));
        String end = line.group("end");
        if (op == Op.LOST) {
            Event loss = event(line, begin, Event.Type.OK, op, number(line, "fence"));
            story.add(new Told(loss, number(line, "told").orElse(begin)));
            return;
        }
        story.add(Told.atOnce(event(line, begin, Event.Type.INVOKE, op, OptionalLong.empty())));
        if (!end.equals("?")) {
            Event.Type type = line.group("type") == null
                    ? Event.Type.OK
                    : Event.Type.valueOf(line.group("type").toUpperCase(Locale.ROOT));
            story.add(Told.atOnce(event(line, Long.parseLong(end), type, op, number(line, "fence"))));
        }
    }

    private static Event event(Matcher line, long nanos, Event.Type type, Op op, OptionalLong fence) {
        String lock = line.group("lock") == null ? "a" : line.group("lock");
        OptionalLong valid = type == Event.Type.OK ? number(line, "valid") : OptionalLong.empty();
        return new Event(0, nanos, line.group("process"), type, op, lock, fence, valid, Optional.empty());
    }

    private static OptionalLong number(Matcher line, String group) {
        return line.group(group) == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(line.group(group)));
    }
}
