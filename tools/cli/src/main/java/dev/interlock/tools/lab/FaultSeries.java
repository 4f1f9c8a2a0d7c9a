// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab;

import dev.interlock.tools.backends.Progress;
import dev.interlock.tools.backends.ToolException;
import dev.interlock.tools.lab.FaultLab.Play;
import dev.interlock.tools.lab.play.Contestant;
import dev.interlock.tools.lab.play.LabFault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * Plays the same cells with many seeds. Each cell is recorded in a file when the cells of its seed have been played, so
 * that a series can be stopped and continued: a recorded cell is not played again, unless it could not be played to its
 * end.
 */
public final class FaultSeries {
    private static final String HEAD = "# seed\tlease ms\tstrategy\tfault\toutcome\tverdict\tdeclaration\treason";

    private final Path ledger;
    private final Duration lease;
    private final List<Contestant> contestants;
    private final List<LabFault> faults;
    private final long[] seeds;

    /**
     * Creates a series.
     *
     * @param ledger the file in which cells are noted
     * @param lease the lease in all cells
     * @param contestants the strategies
     * @param faults the faults
     * @param firstSeed the first seed
     * @param count how many seeds there are, one after the other
     */
    public FaultSeries(
            Path ledger,
            Duration lease,
            List<Contestant> contestants,
            List<LabFault> faults,
            long firstSeed,
            int count) {
        this.ledger = ledger;
        this.lease = lease;
        this.contestants = List.copyOf(contestants);
        this.faults = List.copyOf(faults);
        this.seeds = LongStream.range(firstSeed, firstSeed + count).toArray();
    }

    /**
     * The state of the cells of a series.
     *
     * @param played how many were played to their end
     * @param undeclared the cells with findings that no profile declares and no fault excuses, a line each
     * @param failed the cells that could not be played to their end, a line each
     * @param verdicts how often each verdict was reached, by strategy and fault
     */
    public record Summary(
            int played, List<String> undeclared, List<String> failed, Map<String, Map<String, Integer>> verdicts) {
        /** Returns the summary as lines of text. */
        public List<String> lines() {
            List<String> lines = new ArrayList<>();
            verdicts.forEach((cell, counts) -> lines.add(cell + ": "
                    + counts.entrySet().stream()
                            .map(count -> count.getKey() + " " + count.getValue())
                            .collect(Collectors.joining(", "))));
            undeclared.forEach(line -> lines.add("FAILED: not declared: " + line.replace('\t', ' ')));
            failed.forEach(line -> lines.add("FAILED: not played: " + line.replace('\t', ' ')));
            lines.add(played + " cells played, " + undeclared.size() + " not declared, " + failed.size()
                    + " could not be played");
            return lines;
        }
    }

    /**
     * Returns how many cells are still to be played.
     *
     * @return the number of cells
     */
    public int left() {
        Map<String, String> noted = read();
        int left = 0;
        for (long seed : seeds) {
            left += unplayed(seed, noted).size();
        }
        return left;
    }

    /**
     * Plays the cells that are not recorded yet; each cell is a step of progress.
     *
     * @param progress told of each cell
     * @return the state of all cells of the series
     */
    public Summary run(Progress progress) {
        for (long seed : seeds) {
            List<Play> plays = unplayed(seed, read());
            List<LabCell> cells = new FaultLab(lease, seed, faults).play(plays, progress);
            List<String> lines = new ArrayList<>();
            for (int i = 0; i < cells.size(); i++) {
                lines.add(line(seed, plays.get(i), cells.get(i)));
            }
            append(lines);
        }
        return summary();
    }

    private List<Play> unplayed(long seed, Map<String, String> noted) {
        return plays().stream()
                .filter(play -> {
                    String line = noted.get(key(seed, play));
                    return line == null || isOutcome(line, LabCell.Outcome.FAILED);
                })
                .toList();
    }

    private List<Play> plays() {
        return contestants.stream()
                .flatMap(contestant -> faults.stream().map(fault -> new Play(contestant, fault)))
                .toList();
    }

    private Summary summary() {
        Map<String, String> noted = read();
        Map<String, Map<String, Integer>> verdicts = new LinkedHashMap<>();
        List<String> undeclared = new ArrayList<>();
        List<String> failed = new ArrayList<>();
        int played = 0;
        for (Play play : plays()) {
            for (long seed : seeds) {
                String line = noted.getOrDefault(key(seed, play), "");
                if (isOutcome(line, LabCell.Outcome.FAILED)) {
                    failed.add(line);
                } else if (isOutcome(line, LabCell.Outcome.PLAYED)) {
                    played++;
                    verdicts.computeIfAbsent(
                                    play.contestant().label() + " "
                                            + play.fault().id(),
                                    cell -> new TreeMap<>())
                            .merge(line.split("\t", -1)[5], 1, Integer::sum);
                    if (line.split("\t", -1)[6].equals(word(Declaration.Kind.UNDECLARED))
                            && !play.contestant().specimen()) {
                        undeclared.add(line);
                    }
                }
            }
        }
        return new Summary(played, undeclared, failed, verdicts);
    }

    private static boolean isOutcome(String line, LabCell.Outcome outcome) {
        String[] fields = line.split("\t", -1);
        return fields.length > 4 && fields[4].equals(word(outcome));
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private String key(long seed, Play play) {
        return seed + "\t" + lease.toMillis() + "\t" + play.contestant().label() + "\t"
                + play.fault().id();
    }

    private String line(long seed, Play play, LabCell cell) {
        return key(seed, play) + "\t" + word(cell.outcome()) + "\t"
                + (cell.verdict() == null ? "-" : cell.verdict().word()) + "\t"
                + (cell.declaration() == null ? "-" : word(cell.declaration().kind())) + "\t"
                + (cell.reason() == null ? "-" : cell.reason().replaceAll("\\s+", " "));
    }

    /** The last line of each cell. */
    private Map<String, String> read() {
        Map<String, String> lines = new LinkedHashMap<>();
        try {
            for (String line : Files.readAllLines(ledger)) {
                String[] fields = line.split("\t", -1);
                if (!line.startsWith("#") && fields.length == 8) {
                    lines.put(String.join("\t", List.of(fields).subList(0, 4)), line);
                }
            }
        } catch (NoSuchFileException e) {
            // The file does not exist before the first cells are recorded.
        } catch (IOException e) {
            throw new ToolException("cannot read " + ledger + " (" + e + ")", e);
        }
        return lines;
    }

    private void append(List<String> lines) {
        try {
            if (!Files.exists(ledger)) {
                Files.writeString(ledger, HEAD + "\n");
            }
            Files.write(ledger, lines, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new ToolException("cannot write " + ledger + " (" + e + ")", e);
        }
    }
}
