// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.measure;

import com.google.gson.Gson;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Measures the memory that locks take: of the client, of the servers, and what a pair of lock and unlock allocates. The
 * client has a JVM of its own, and its locks are used as its library hands them out.
 */
public final class Footprint implements Measurement<Footprint.Result> {
    /** How often locks are acquired, measured and released. */
    private static final int TURNS = 3;

    private static final Duration STEP_LIMIT = Duration.ofMinutes(5);

    private final int pairs;
    private final int held;

    public Footprint(Effort effort) {
        pairs = effort.countedPairs();
        held = effort.heldLocks();
    }

    /**
     * The memory of locks.
     *
     * @param held how many locks were held at once
     * @param heapBytesPerLock what each of them takes of the client's heap, once garbage is collected
     * @param serverBytesPerLock what each of them takes of the servers; missing where other clients may use them
     * @param allocatedBytesPerPair what all threads of the client allocate for a lock and unlock that nobody else wants
     * @param heapNoiseBytesPerLock by how much the heap of each lock may be off: how far apart the measurements were,
     *     or by how much the heap changed while none was held, if that is more; missing in reports of former versions
     */
    public record Result(
            int held,
            double heapBytesPerLock,
            @Nullable Double serverBytesPerLock,
            double allocatedBytesPerPair,
            @Nullable Double heapNoiseBytesPerLock) {

        /** Returns whether there is a figure, and not just noise. */
        public boolean isHeapMeasured() {
            return heapNoiseBytesPerLock == null ? heapBytesPerLock > 0 : heapBytesPerLock > heapNoiseBytesPerLock;
        }
    }

    /**
     * The task of the process.
     *
     * @param strategy the strategy
     * @param options its options
     * @param endpoints its servers
     * @param pairs how many pairs of lock and unlock it makes at once
     * @param held how many locks it holds at once
     */
    record Task(String strategy, Map<String, String> options, String endpoints, int pairs, int held) {}

    /** What the process is told to do; it answers each with a number. */
    enum Step {
        /** Locks and unlocks a few times, and answers how often. */
        USE,
        /** Locks and unlocks, and answers how many bytes that has allocated. */
        PAIRS,
        /** Acquires locks, and answers how many. */
        HOLD,
        /** Answers how many bytes the live objects of the heap take. */
        HEAP,
        /** Releases the locks, and answers how many. */
        RELEASE,
        /** Ends the process. */
        END
    }

    @Override
    public String title() {
        return "memory";
    }

    @Override
    public Result measure(MeasuredStrategy subject) {
        try (ChildLines child = new ChildLines(FootprintMain.JVM_OPTIONS, FootprintMain.class)) {
            child.say(new Gson()
                    .toJson(new Task(
                            subject.strategy(),
                            subject.options(),
                            subject.backend().endpoints(),
                            pairs,
                            held)));
            // What a client keeps for its first locks, and what it keeps for as many as it once had, counts for none.
            tell(child, Step.USE);
            tell(child, Step.HOLD);
            tell(child, Step.RELEASE);
            tell(child, Step.USE);
            long idle = tell(child, Step.HEAP);
            tell(child, Step.USE);
            double change = (double) Math.abs(tell(child, Step.HEAP) - idle) / held;
            List<Turn> turns = new ArrayList<>();
            for (int i = 0; i < TURNS; i++) {
                turns.add(turn(child, subject));
            }
            // Last, since some clients renew what is held once more for each pair before.
            tell(child, Step.PAIRS);
            double allocated = (double) tell(child, Step.PAIRS) / pairs;
            child.say(Step.END.name());
            return result(turns, change, allocated);
        }
    }

    private Turn turn(ChildLines child, MeasuredStrategy subject) {
        // Some clients forget locks that were released when they are used again.
        tell(child, Step.USE);
        OptionalLong keysBefore = subject.backend().keyMemory();
        long before = tell(child, Step.HEAP);
        tell(child, Step.HOLD);
        long heap = tell(child, Step.HEAP) - before;
        OptionalLong keys = subject.backend().keyMemory();
        tell(child, Step.RELEASE);
        return new Turn(
                (double) heap / held,
                keys.isPresent() && keysBefore.isPresent()
                        ? Double.valueOf((double) (keys.getAsLong() - keysBefore.getAsLong()) / held)
                        : null);
    }

    private static long tell(ChildLines child, Step step) {
        child.say(step.name());
        return child.nextNumber(STEP_LIMIT);
    }

    /**
     * The memory of each of the locks that were held once.
     *
     * @param heap of the client
     * @param servers of the servers
     */
    record Turn(double heap, @Nullable Double servers) {}

    /**
     * Takes the median of the turns.
     *
     * @param change by how much the heap changed while no lock was held, for as many locks
     * @param allocated what each pair allocated
     */
    Result result(List<Turn> turns, double change, double allocated) {
        double[] heaps = turns.stream().mapToDouble(Turn::heap).sorted().toArray();
        double spread = (heaps[heaps.length - 1] - heaps[0]) / 2;
        List<Double> servers = new ArrayList<>();
        for (Turn turn : turns) {
            if (turn.servers() != null) {
                servers.add(turn.servers());
            }
        }
        servers.sort(null);
        return new Result(
                held,
                heaps[heaps.length / 2],
                servers.isEmpty() ? null : servers.get(servers.size() / 2),
                allocated,
                Math.max(change, spread));
    }
}
