// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.conformance.history.Event.Op;
import dev.interlock.conformance.history.Event.Type;
import dev.interlock.conformance.history.RandomCalls.Call;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KnossosEdnTest {
    private static final Pattern LINE = Pattern.compile("\\{:process (\\d+), :type :(invoke|ok|fail|info), "
            + ":f :(acquire|release), :value \\{:client \"(\\w+)\"(?:, :fence (\\d+))?}, :time (\\d+), :index (\\d+)"
            + "(, :lost true)?}");

    private static final Map<String, Type> TYPES =
            Map.of("invoke", Type.INVOKE, "ok", Type.OK, "fail", Type.FAIL, "info", Type.UNKNOWN);

    private static List<String> lines(String... story) {
        return KnossosEdn.lines(Story.of(story), "a");
    }

    @Test
    void eachEventOfTheLockIsAMap(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("history.edn");
        KnossosEdn.write(
                file,
                Story.of("p acquire 11-12 fence 5", "q acquire@b 12-13", "q acquire 13-14 fail", "p release 15-16"),
                "a");
        assertThat(Files.readAllLines(file))
                .containsExactly(
                        "{:process 0, :type :invoke, :f :acquire, :value {:client \"p\"}, :time 0, :index 0}",
                        "{:process 0, :type :ok, :f :acquire, :value {:client \"p\", :fence 5}, :time 1, :index 1}",
                        "{:process 1, :type :invoke, :f :acquire, :value {:client \"q\"}, :time 2, :index 2}",
                        "{:process 1, :type :fail, :f :acquire, :value {:client \"q\"}, :time 3, :index 3}",
                        "{:process 0, :type :invoke, :f :release, :value {:client \"p\"}, :time 4, :index 4}",
                        "{:process 0, :type :ok, :f :release, :value {:client \"p\"}, :time 5, :index 5}");
    }

    @Test
    void aClientThatGoesOnAfterAnUnknownOutcomeIsAnotherProcess() {
        assertThat(lines("p acquire 1-2 unknown", "p acquire 3-?"))
                .containsExactly(
                        "{:process 0, :type :invoke, :f :acquire, :value {:client \"p\"}, :time 0, :index 0}",
                        "{:process 0, :type :info, :f :acquire, :value {:client \"p\"}, :time 1, :index 1}",
                        "{:process 1, :type :invoke, :f :acquire, :value {:client \"p\"}, :time 2, :index 2}");
    }

    @Test
    void aLossIsAReleaseThatMayHappenFromThenOn() {
        for (String[] story : List.of(
                new String[] {"p acquire 1-2 fence 5 valid 7"}, new String[] {"p acquire 1-2 fence 5", "p lost 9"})) {
            assertThat(lines(story).subList(2, 4))
                    .containsExactly(
                            "{:process 1, :type :invoke, :f :release, :value {:client \"p\", :fence 5}, :time 8,"
                                    + " :index 2, :lost true}",
                            "{:process 1, :type :info, :f :release, :value {:client \"p\", :fence 5}, :time 8,"
                                    + " :index 3, :lost true}");
        }
    }

    @Test
    void beginningsComeBeforeEndsOfTheSameMoment() {
        assertThat(lines("p acquire 1-5", "p release 5-6", "q acquire 5-7"))
                .extracting(line -> line.replaceAll(":value.*", ""))
                .containsExactly(
                        "{:process 0, :type :invoke, :f :acquire, ",
                        "{:process 1, :type :invoke, :f :acquire, ",
                        "{:process 0, :type :ok, :f :acquire, ",
                        "{:process 0, :type :invoke, :f :release, ",
                        "{:process 0, :type :ok, :f :release, ",
                        "{:process 1, :type :ok, :f :acquire, ");
    }

    @Test
    void namesAreStringsOfEdn() {
        Event strange = new Event(
                0,
                1,
                "a \"b\" \\ \u0001",
                Type.INVOKE,
                Op.ACQUIRE,
                "a",
                OptionalLong.empty(),
                OptionalLong.empty(),
                Optional.of("Oh\n"));
        assertThat(KnossosEdn.lines(List.of(strange), "a"))
                .containsExactly("{:process 0, :type :invoke, :f :acquire, :value {:client \"a \\\"b\\\" \\\\ ?\"},"
                        + " :time 0, :index 0, :error \"Oh?\"}");
    }

    @Test
    void whatIsRightStaysRightAndWhatIsWrongWithoutLossesOrUnknownOutcomesStaysWrong() {
        int right = 0;
        int wrong = 0;
        for (boolean fenced : new boolean[] {false, true}) {
            Model model = new Model(false, fenced);
            for (long seed = 0; seed < 1_000; seed++) {
                List<Call> calls = RandomCalls.of(model, seed);
                List<Event> events = RandomCalls.events(calls);
                boolean exact = calls.stream().allMatch(call -> !call.isLoss() && call.valid() == null)
                        && calls.stream()
                                .allMatch(call ->
                                        call.end() != null && !call.outcome().equals("unknown"));
                boolean permitted = AllOrders.permit(model, events);
                boolean after = AllOrders.permit(model, read(KnossosEdn.lines(events, "a")));
                if (permitted || exact) {
                    assertThat(after)
                            .as("%s, seed %d%n%s", model, seed, RandomCalls.text(calls))
                            .isEqualTo(permitted);
                    right += permitted ? 1 : 0;
                    wrong += permitted ? 0 : 1;
                }
            }
        }
        assertThat(right).isGreaterThan(500);
        assertThat(wrong).isGreaterThan(100);
    }

    /** Reads the lines as a checker does that knows their order, and no times. */
    private static List<Event> read(List<String> lines) {
        List<Event> events = new ArrayList<>();
        for (String line : lines) {
            Matcher matcher = LINE.matcher(line);
            assertThat(matcher.matches()).as(line).isTrue();
            boolean lost = matcher.group(8) != null;
            Type type = TYPES.get(matcher.group(2));
            if (lost && type == Type.UNKNOWN) {
                continue;
            }
            long index = Long.parseLong(matcher.group(7));
            String fence = matcher.group(5);
            events.add(new Event(
                    lost ? lines.size() + index : index,
                    index,
                    matcher.group(4),
                    lost ? Type.OK : type,
                    lost ? Op.LOST : Op.valueOf(matcher.group(3).toUpperCase(Locale.ROOT)),
                    "a",
                    fence == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(fence)),
                    OptionalLong.empty(),
                    Optional.empty()));
        }
        return events;
    }
}
