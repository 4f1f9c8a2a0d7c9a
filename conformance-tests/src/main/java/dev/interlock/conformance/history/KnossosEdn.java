// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.history;

import dev.interlock.conformance.history.Event.Op;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Writes histories in the form that Knossos reads, the checker of Jepsen: one map a line, such as
 *
 * <pre>{@code
 * {:process 0, :type :ok, :f :acquire, :value {:client "client-2/thread-3", :fence 5}, :time 1500, :index 1}
 * }</pre>
 *
 * <p>Each file is about one lock. {@code :f} is {@code :acquire} or {@code :release}; {@code :type} is {@code :invoke},
 * {@code :ok}, {@code :fail} or, for an unknown outcome, {@code :info}; {@code :time} is in nanoseconds from the first
 * event on. Knossos wants a process to make no call after one of unknown outcome, so its later calls have another
 * number; {@code :client} stays the same. {@code :fence} is there if the token is known.
 *
 * <p>Knossos knows no leases. From the moment at which a hold may have been lost, by {@link Event#validNanos()} or
 * {@link Op#LOST}, there is a release of unknown outcome by a process of its own, with {@code :lost true}: it may
 * happen then or later, or never. One that does not happen for one hold may explain a later one of the same client, so
 * a model that does not compare fences accepts more than {@link Checker} does.
 */
public final class KnossosEdn {
    private final Map<String, Integer> numbers = new HashMap<>();
    private final List<String> lines = new ArrayList<>();
    private final long origin;
    private int processes;

    private KnossosEdn(long origin) {
        this.origin = origin;
    }

    /**
     * Writes the history of one lock.
     *
     * @param file the file, which is overwritten
     * @param events a history, of which the events of other locks are left out
     * @param lock the name of the lock
     * @throws UncheckedIOException if the file cannot be written
     * @throws IllegalArgumentException if the events are no valid record, as in {@link Checker#check}
     */
    public static void write(Path file, Collection<Event> events, String lock) {
        try {
            Files.write(file, lines(events, lock));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the history to " + file, e);
        }
    }

    static List<String> lines(Collection<Event> events, String lock) {
        List<Event> own =
                events.stream().filter(event -> event.lock().equals(lock)).toList();
        if (own.isEmpty()) {
            return List.of();
        }
        long base = own.get(0).nanos();
        long origin =
                own.stream().mapToLong(event -> event.nanos() - base).min().orElse(0);
        KnossosEdn edn = new KnossosEdn(base + origin);
        edn.inOrder(withLosses(own, base)).forEach(edn::add);
        return edn.lines;
    }

    /**
     * An event to write.
     *
     * @param line whose events stay in the order in which they are
     * @param lost whether it stands for a loss
     */
    private record Entry(String line, Event event, boolean lost) {
        boolean isEnd() {
            return event.type() != Event.Type.INVOKE;
        }
    }

    /** Returns the calls, and for each loss that may have happened a release of unknown outcome. */
    private static List<Entry> withLosses(List<Event> events, long base) {
        List<Entry> entries = new ArrayList<>();
        events.stream()
                .filter(event -> event.op() != Op.LOST)
                .sorted(Comparator.comparingLong(Event::sequence))
                .forEach(event -> entries.add(new Entry(event.process(), event, false)));
        for (Operation operation : Operation.of(events, base)) {
            if (operation.isAcquire() && operation.lostFrom != Operation.NEVER) {
                String line = "loss of " + operation.process() + " " + operation.order();
                for (Event.Type type : List.of(Event.Type.INVOKE, Event.Type.UNKNOWN)) {
                    entries.add(new Entry(line, loss(operation, base + operation.lostFrom, type), true));
                }
            }
        }
        return entries;
    }

    private static Event loss(Operation lost, long nanos, Event.Type type) {
        Long fence = lost.fence();
        return new Event(
                0,
                nanos,
                lost.process(),
                type,
                Op.RELEASE,
                lost.lock(),
                fence == null ? OptionalLong.empty() : OptionalLong.of(fence),
                OptionalLong.empty(),
                Optional.empty());
    }

    /**
     * Sorts by time. The form has an order, and no moments: of the same moment, beginnings come before ends, and an end
     * before others if its process begins another call at that moment.
     */
    private List<Entry> inOrder(List<Entry> entries) {
        Map<String, Deque<Entry>> queues = new LinkedHashMap<>();
        entries.forEach(entry ->
                queues.computeIfAbsent(entry.line(), it -> new ArrayDeque<>()).add(entry));
        List<Entry> sorted = new ArrayList<>();
        while (sorted.size() < entries.size()) {
            sorted.add(queues.values().stream()
                    .filter(queue -> !queue.isEmpty())
                    .min(Comparator.<Deque<Entry>>comparingLong(this::moment)
                            .thenComparing(queue -> queue.element().isEnd())
                            .thenComparing(queue -> !goesOnAtOnce(queue)))
                    .orElseThrow()
                    .remove());
        }
        return sorted;
    }

    private long moment(Deque<Entry> queue) {
        return queue.element().event().nanos() - origin;
    }

    private static boolean goesOnAtOnce(Deque<Entry> queue) {
        long nanos = queue.element().event().nanos();
        return queue.stream().skip(1).limit(1).anyMatch(next -> next.event().nanos() == nanos);
    }

    private void add(Entry entry) {
        Event event = entry.event();
        int process = numbers.computeIfAbsent(entry.line(), it -> processes++);
        if (event.type() == Event.Type.UNKNOWN) {
            numbers.remove(entry.line());
        }
        StringBuilder line = new StringBuilder("{:process ").append(process);
        line.append(", :type :").append(type(event.type()));
        line.append(", :f :").append(event.op() == Op.ACQUIRE ? "acquire" : "release");
        line.append(", :value {:client \"").append(escaped(event.process())).append('"');
        event.fence().ifPresent(fence -> line.append(", :fence ").append(fence));
        line.append("}, :time ").append(event.nanos() - origin);
        line.append(", :index ").append(lines.size());
        event.error()
                .ifPresent(error ->
                        line.append(", :error \"").append(escaped(error)).append('"'));
        lines.add(line.append(entry.lost() ? ", :lost true}" : "}").toString());
    }

    private static String type(Event.Type type) {
        return switch (type) {
            case INVOKE -> "invoke";
            case OK -> "ok";
            case FAIL -> "fail";
            case UNKNOWN -> "info";
        };
    }

    /** Strings of EDN have no escapes for most control characters, so these are replaced. */
    private static String escaped(String text) {
        return text.replaceAll("\\p{Cntrl}", "?").replace("\\", "\\\\").replace("\"", "\\\"");
    }
}
