// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.history;

import dev.interlock.conformance.history.Event.Op;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Writes and reads histories as text: one JSON object a line, whose values are texts and whole numbers. */
public final class JsonLines {
    private JsonLines() {}

    /**
     * Writes a history.
     *
     * @param file the file, which is overwritten
     * @param events the history
     * @throws UncheckedIOException if the file cannot be written
     */
    public static void write(Path file, List<Event> events) {
        try {
            Files.write(file, events.stream().map(JsonLines::format).toList());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the history to " + file, e);
        }
    }

    /**
     * Reads a history.
     *
     * @param file the file
     * @return the history, in the order of its lines
     * @throws UncheckedIOException if the file cannot be read
     * @throws IllegalArgumentException if a line is no event; the message names the file, the line and what is wrong
     */
    public static List<Event> read(Path file) {
        List<String> lines;
        try {
            lines = Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read a history from " + file, e);
        }
        List<Event> events = new ArrayList<>(lines.size());
        for (int i = 0; i < lines.size(); i++) {
            try {
                events.add(parse(lines.get(i)));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(file + ", line " + (i + 1) + ": " + e.getMessage(), e);
            }
        }
        return events;
    }

    static String format(Event event) {
        StringBuilder line = new StringBuilder("{\"sequence\":").append(event.sequence());
        line.append(",\"nanos\":").append(event.nanos());
        text(line, "process", event.process());
        text(line, "type", event.type().name());
        text(line, "op", event.op().name());
        text(line, "lock", event.lock());
        event.fence().ifPresent(fence -> line.append(",\"fence\":").append(fence));
        event.validNanos()
                .ifPresent(validNanos -> line.append(",\"validNanos\":").append(validNanos));
        event.error().ifPresent(error -> text(line, "error", error));
        return line.append('}').toString();
    }

    private static void text(StringBuilder line, String key, String value) {
        line.append(",\"").append(key).append("\":\"");
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                line.append('\\').append(c);
            } else if (c < ' ' || Character.isSurrogate(c) || c == '\u2028' || c == '\u2029') {
                line.append(String.format("\\u%04x", (int) c));
            } else {
                line.append(c);
            }
        }
        line.append('"');
    }

    static Event parse(String line) {
        Map<String, Object> values = new Parser(line).object();
        Event event = new Event(
                number(values, "sequence").orElseThrow(() -> missing("sequence")),
                number(values, "nanos").orElseThrow(() -> missing("nanos")),
                text(values, "process").orElseThrow(() -> missing("process")),
                constant(Event.Type.class, values, "type"),
                constant(Op.class, values, "op"),
                text(values, "lock").orElseThrow(() -> missing("lock")),
                number(values, "fence"),
                number(values, "validNanos"),
                text(values, "error"));
        if (!values.isEmpty()) {
            throw new IllegalArgumentException(
                    "there is no \"" + values.keySet().iterator().next() + "\" in an event");
        }
        return event;
    }

    private static IllegalArgumentException missing(String key) {
        return new IllegalArgumentException("\"" + key + "\" is missing");
    }

    private static OptionalLong number(Map<String, Object> values, String key) {
        Object value = values.remove(key);
        if (value == null) {
            return OptionalLong.empty();
        }
        if (value instanceof Long number) {
            return OptionalLong.of(number);
        }
        throw new IllegalArgumentException("\"" + key + "\" must be a number");
    }

    private static Optional<String> text(Map<String, Object> values, String key) {
        Object value = values.remove(key);
        if (value == null || value instanceof String) {
            return Optional.ofNullable((String) value);
        }
        throw new IllegalArgumentException("\"" + key + "\" must be a text");
    }

    private static <E extends Enum<E>> E constant(Class<E> type, Map<String, Object> values, String key) {
        String name = text(values, key).orElseThrow(() -> missing(key));
        for (E constant : type.getEnumConstants()) {
            if (constant.name().equals(name)) {
                return constant;
            }
        }
        throw new IllegalArgumentException(
                "\"" + key + "\" is \"" + name + "\": one of " + List.of(type.getEnumConstants()) + " is needed");
    }

    /** Reads one flat object. Accepts what {@link #format} writes, with keys in any order, and nothing else. */
    private static final class Parser {
        private final String line;
        private int at;

        Parser(String line) {
            this.line = line;
        }

        Map<String, Object> object() {
            Map<String, Object> values = new HashMap<>();
            expect('{');
            do {
                String key = text();
                expect(':');
                if (values.put(key, peek() == '"' ? text() : number()) != null) {
                    throw new IllegalArgumentException("\"" + key + "\" is there twice");
                }
            } while (accept(','));
            expect('}');
            if (at < line.length()) {
                throw wrong("the end of the line");
            }
            return values;
        }

        private String text() {
            expect('"');
            StringBuilder text = new StringBuilder();
            while (!accept('"')) {
                char c = next("the end of a text");
                text.append(c == '\\' ? escaped() : c);
            }
            return text.toString();
        }

        private char escaped() {
            char c = next("an escaped character");
            if (c == '"' || c == '\\') {
                return c;
            }
            if (c == 'u' && at + 4 <= line.length()) {
                String digits = line.substring(at, at + 4);
                if (digits.matches("[0-9a-fA-F]{4}")) {
                    at += 4;
                    return (char) Integer.parseInt(digits, 16);
                }
            }
            throw wrong("one of \\\" \\\\ \\uXXXX");
        }

        private Long number() {
            int start = at;
            while (peek() == '-' || Character.isDigit(peek())) {
                at++;
            }
            try {
                return Long.valueOf(line.substring(start, at));
            } catch (NumberFormatException e) {
                at = start;
                throw wrong("a text or a whole number");
            }
        }

        private char next(String what) {
            if (at == line.length()) {
                throw wrong(what);
            }
            return line.charAt(at++);
        }

        private char peek() {
            return at < line.length() ? line.charAt(at) : 0;
        }

        private boolean accept(char c) {
            boolean there = at < line.length() && peek() == c;
            at += there ? 1 : 0;
            return there;
        }

        private void expect(char c) {
            if (!accept(c)) {
                throw wrong("'" + c + "'");
            }
        }

        private IllegalArgumentException wrong(String needed) {
            return new IllegalArgumentException("at column " + (at + 1) + ": " + needed + " is needed");
        }
    }
}
