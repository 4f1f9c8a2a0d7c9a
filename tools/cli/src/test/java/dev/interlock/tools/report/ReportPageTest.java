// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.interlock.tools.lab.CellVerdict;
import dev.interlock.tools.lab.FaultReport;
import dev.interlock.tools.lab.LabCell.Outcome;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The page in a real browser. Pictures of it are in {@code target/report-page}, for people to look at. */
@Tag("deep")
class ReportPageTest {
    private static final Path PICTURES = Path.of("target/report-page");

    /** A report of a whole run; one that is made up stands in for it if it is of an older form. */
    private static final Path KEPT = Path.of("../../docs/report/report.json");

    /** Scrolls to what happens when things go wrong. */
    private static final String FAULTS = "document.querySelector('#faults .scroll').scrollLeft = 0;"
            + " document.getElementById('faults').scrollIntoView()";

    /** The width of a sheet of A4 on its side within its margins, in pixels. */
    private static final int PAPER_WIDTH = 1046;

    /** Texts that can be seen and are smaller than 8 points. */
    private static final String SMALL_TEXTS = "[...document.querySelectorAll('body *')]"
            + ".filter(it => it.checkVisibility() && !it.closest('script, style, .hidden')"
            + " && [...it.childNodes].some(child => child.nodeType === 3 && child.data.trim())"
            + " && parseFloat(getComputedStyle(it).fontSize) < 8 / 0.75 - 0.01)"
            + ".map(it => it.tagName + ': ' + it.textContent.slice(0, 40))";

    private static final String BUTTONS = "document.querySelectorAll('.heat button')";

    /** What there is to see when the dialog of a cell is open. */
    private static final String SHOWN = "({ open: document.getElementById('cell').open,"
            + " title: document.getElementById('cell-title').textContent,"
            + " text: document.querySelector('dialog').textContent,"
            + " name: cell.getAttribute('aria-label') })";

    private static final int CELLS_AT_ONCE = 100;

    @TempDir
    private Path directory;

    private Path browser;

    @BeforeEach
    void findBrowser() {
        Optional<Path> found = Chromium.find();
        assumeTrue(found.isPresent(), "absent: browser: no Chromium or Chrome is on the PATH");
        browser = found.orElseThrow();
    }

    private Path page() throws Exception {
        return page(report());
    }

    private Path page(Report report) throws Exception {
        return Files.writeString(directory.resolve("report.html"), HtmlRenderer.render(report));
    }

    private static Report report() throws Exception {
        return new Gson().fromJson(Files.readString(KEPT), Report.class);
    }

    private Chromium browser() throws Exception {
        Chromium chromium = Chromium.start(browser, directory.resolve("profile"));
        chromium.size(1200, 900);
        return chromium;
    }

    private static String text(Chromium chromium, String expression) throws Exception {
        return chromium.evaluate(expression).getAsString();
    }

    private static int number(Chromium chromium, String expression) throws Exception {
        return chromium.evaluate(expression).getAsInt();
    }

    private static boolean isOpen(Chromium chromium) throws Exception {
        return chromium.evaluate("document.getElementById('cell').open").getAsBoolean();
    }

    private static void assertShown(JsonObject cell) {
        assertThat(cell.get("open").getAsBoolean()).isTrue();
        assertThat(cell.get("name").getAsString())
                .startsWith(cell.get("title").getAsString().replace(" · ", ", "));
        assertThat(cell.get("text").getAsString()).doesNotContain("undefined", "NaN", "[object");
    }

    /** The strings that an expression yields. */
    private static List<String> texts(Chromium chromium, String expression) throws Exception {
        List<String> texts = new ArrayList<>();
        JsonArray values = chromium.evaluate(expression).getAsJsonArray();
        values.forEach(value -> texts.add(value.getAsString()));
        return texts;
    }

    @ParameterizedTest
    @ValueSource(strings = {"light", "dark"})
    void eachCellOpensItsEvidenceAndNothingIsComplainedOf(String scheme) throws Exception {
        try (Chromium chromium = browser()) {
            chromium.scheme(scheme);
            chromium.open(page());
            int cells = number(chromium, BUTTONS + ".length");
            assertThat(cells).isPositive();
            assertThat(number(
                            chromium,
                            "[...document.querySelectorAll('.heat button, canvas, .scroll')]"
                                    + ".filter(it => !it.getAttribute('aria-label') && !it.closest('dialog')).length"))
                    .as("things without an accessible name")
                    .isZero();
            // Some with the mouse, one by one; then all in the light and some in the dark, many in one task of the
            // browser.
            for (int i = 0; i < cells; i += 20) {
                chromium.click(BUTTONS + "[" + i + "]");
                assertShown(chromium.evaluate("(cell => " + SHOWN + ")(" + BUTTONS + "[" + i + "])")
                        .getAsJsonObject());
                if (i == 0) {
                    chromium.screenshot(PICTURES.resolve("cell-" + scheme + ".png"), false);
                }
                chromium.click("document.querySelector('dialog .close')");
                assertThat(isOpen(chromium)).isFalse();
            }
            int step = scheme.equals("light") ? 1 : 10;
            for (int i = 0; i < cells; i += CELLS_AT_ONCE) {
                JsonArray shown = chromium.evaluate("[..." + BUTTONS + "].slice(" + i + ", " + (i + CELLS_AT_ONCE)
                                + ").filter((cell, index) => index % " + step + " === 0).map(cell => { cell.click();"
                                + " const shown = " + SHOWN + "; document.querySelector('dialog .close').click();"
                                + " shown.closed = !document.getElementById('cell').open; return shown; })")
                        .getAsJsonArray();
                assertThat(shown).isNotEmpty();
                for (JsonElement cell : shown) {
                    assertShown(cell.getAsJsonObject());
                    assertThat(cell.getAsJsonObject().get("closed").getAsBoolean())
                            .isTrue();
                }
            }
            chromium.evaluate(FAULTS);
            chromium.screenshot(PICTURES.resolve("faults-" + scheme + ".png"), false);
            chromium.screenshot(PICTURES.resolve("whole-" + scheme + ".png"), true);
            assertThat(text(chromium, "document.getElementById('main').innerText"))
                    .doesNotContain("undefined", "NaN", "[object");
            assertThat(chromium.complaints()).isEmpty();
        }
    }

    @Test
    void rulesAreShownInTheWordsOfTheContract() throws Exception {
        try (Chromium chromium = browser()) {
            chromium.open(page());

            chromium.click("document.querySelector('#contract .heat button')");

            assertThat(text(chromium, "document.querySelector('dialog').innerText"))
                    .contains("1.1 tryLock() on a free lock MUST return true");
        }
    }

    @Test
    void theGuideBeginsWithWhatToUseInsteadOfALock() throws Exception {
        try (Chromium chromium = browser()) {
            chromium.open(page());

            assertThat(text(chromium, "document.querySelector('main section').innerText"))
                    .matches("(?s)Do you need a lock, and which one\\?\\s+When not to use a lock at all\n.*")
                    .contains("SELECT … FOR UPDATE", "And when a lease is not enough.", "(docs/fault-table.tsv)");
            assertThat(number(chromium, "document.querySelectorAll('main details').length"))
                    .isZero();
        }
    }

    @Test
    void eachWayThroughTheGuideEndsWithOneAnswerAndTheEvidenceForIt() throws Exception {
        List<List<DecisionGuide.Answer>> paths = DecisionGuideTest.paths(DecisionGuideTest.ofThePage());
        List<DecisionGuide.Question> questions = DecisionGuideTest.ofThePage().questions();
        List<DecisionGuide.Answer> given = List.of();
        try (Chromium chromium = browser()) {
            chromium.open(page());
            for (List<DecisionGuide.Answer> path : paths) {
                int same = 0;
                while (same < given.size() && given.get(same).equals(path.get(same))) {
                    same++;
                }
                for (int i = same; i < path.size(); i++) {
                    choose(chromium, i, questions, path.subList(0, i + 1));
                }
                given = path;
                DecisionGuide.Answer last = path.get(path.size() - 1);
                String answer = text(chromium, "document.querySelector('.answer').innerText");

                assertThat(text(chromium, "document.querySelector('.outcome h3').innerText"))
                        .isEqualTo("Your answer");
                assertThat(number(chromium, "document.querySelectorAll('.guide fieldset').length"))
                        .isEqualTo(path.size());
                assertThat(DecisionGuideTest.STRATEGY.matcher(answer).results().count())
                        .as(answer)
                        .isEqualTo(last.strategy().startsWith("none") ? 0 : 1);
                assertThat(answer)
                        .contains(path.stream()
                                .map(DecisionGuide.Answer::strategy)
                                .filter(strategy -> !strategy.isEmpty())
                                .map(ReportPageTest::shown)
                                .toList())
                        .contains(path.stream()
                                .map(DecisionGuide.Answer::options)
                                .map(ReportPageTest::shown)
                                .toList())
                        .doesNotContain("question", "](", "`");
                assertThat(
                                texts(
                                        chromium,
                                        "[...document.querySelectorAll('.outcome li')].map(it => it.innerText.replace(/\\s+/g, ' '))"))
                        .hasSameSizeAs(path)
                        .allSatisfy(line -> assertThat(line).contains("Evidence: "));
                if (path.size() == questions.size()) {
                    chromium.evaluate("document.querySelector('.outcome').scrollIntoView({ block: 'end' })");
                    chromium.screenshot(PICTURES.resolve("guide.png"), false);
                }
            }
            assertThat(chromium.complaints()).isEmpty();
        }
    }

    /** Markdown as the answer shows it: without marks, and links as their texts. */
    private static String shown(String markdown) {
        return markdown.replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1").replace("`", "");
    }

    /** Clicks on the last answer of a beginning of a path, among those that its question offers. */
    private static void choose(
            Chromium chromium, int asked, List<DecisionGuide.Question> questions, List<DecisionGuide.Answer> path)
            throws Exception {
        DecisionGuide.Answer answer = path.get(path.size() - 1);
        DecisionGuide.Question question = questions.stream()
                .filter(it -> it.answers().contains(answer))
                .findFirst()
                .orElseThrow();
        int place = DecisionGuideTest.offered(question, path.subList(0, path.size() - 1))
                .indexOf(answer);
        chromium.click(
                "document.querySelectorAll('.guide fieldset')[" + asked + "].querySelectorAll('label')[" + place + "]");
    }

    @Test
    void theGuideCanBeAnsweredByKeysAloneAndItsEvidenceOpens() throws Exception {
        try (Chromium chromium = browser()) {
            chromium.open(page());
            chromium.key("Tab");
            assertThat(text(chromium, "document.activeElement.textContent")).isEqualTo("Skip to the report");
            chromium.key("Enter");
            chromium.key("Tab");
            tabTo(chromium, "document.activeElement.name === 'question-0'");
            chromium.key(" ");
            tabTo(chromium, "document.activeElement.name === 'question-1'");
            chromium.key(" ");
            chromium.key("ArrowUp");
            tabTo(chromium, "document.activeElement.name === 'question-2'");
            chromium.key(" ");
            tabTo(chromium, "document.activeElement.name === 'question-4'");
            chromium.key(" ");

            assertThat(text(chromium, "document.querySelector('.outcome').innerText"))
                    .startsWith("Your answer")
                    .contains("set-nx-px · servers: one · default options");
            tabTo(chromium, "document.activeElement.classList.contains('link')");
            String cited = text(chromium, "document.activeElement.textContent");
            chromium.key("Enter");
            assertThat(isOpen(chromium)).isTrue();
            String title = text(chromium, "document.getElementById('cell-title').textContent");
            assertThat(cited).contains(title.split(" · ")[1]).contains(title.split("[ (]")[0]);
            chromium.key("Escape");
            assertThat(isOpen(chromium)).isFalse();
            assertThat(text(chromium, "document.activeElement.textContent")).isEqualTo(cited);
        }
    }

    /** Presses the Tab key until something has the focus. */
    private static void tabTo(Chromium chromium, String condition) throws Exception {
        for (int i = 0; i < 20; i++) {
            if (chromium.evaluate(condition).getAsBoolean()) {
                return;
            }
            chromium.key("Tab");
        }
        assertThat(chromium.evaluate(condition).getAsBoolean()).as(condition).isTrue();
    }

    @Test
    void eachLinkOfTheContentsLeadsToItsPart() throws Exception {
        try (Chromium chromium = browser()) {
            chromium.open(page());
            int links = number(chromium, "document.querySelectorAll('nav a').length");
            assertThat(links)
                    .isEqualTo(number(
                            chromium,
                            "document.querySelectorAll('main section h2').length"
                                    + " - document.querySelectorAll('#appendix h2').length"));
            for (int i = 0; i < links; i++) {
                String link = "document.querySelectorAll('nav a')[" + i + "]";
                chromium.click(link);
                assertThat(text(chromium, "location.hash")).isEqualTo(text(chromium, link + ".hash"));
                assertThat(text(chromium, "document.querySelector(location.hash).querySelector('h2').textContent"))
                        .isEqualTo(text(chromium, link + ".textContent"));
                assertThat(chromium.evaluate("(() => { const top ="
                                        + " document.querySelector(location.hash).getBoundingClientRect().top;"
                                        + " return top >= -1 && top < innerHeight; })()")
                                .getAsBoolean())
                        .as("it can be seen")
                        .isTrue();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"light", "dark"})
    void eachChartIsDrawn(String scheme) throws Exception {
        try (Chromium chromium = browser()) {
            chromium.scheme(scheme);
            chromium.open(page());
            int charts = number(chromium, "document.querySelectorAll('canvas').length");
            assertThat(charts).isGreaterThan(8);
            for (int i = 0; i < charts; i++) {
                String canvas = "document.querySelectorAll('canvas')[" + i + "]";
                assertThat(number(chromium, coloursDrawnOn(canvas)))
                        .as(text(chromium, canvas + ".getAttribute('aria-label')"))
                        .isPositive();
            }
            assertThat(texts(chromium, "[...document.querySelectorAll('figcaption')].map(it => it.textContent)"))
                    .anyMatch(caption -> caption.contains("p50 by round trip"))
                    .anyMatch(caption -> caption.contains("p99 by round trip"))
                    .anyMatch(caption -> caption.matches(".*round trip of \\d+ ms: latency by percentile.*"));
        }
    }

    /** How many of the colours of a chart's strategies there are among the pixels between its axes. */
    private static String coloursDrawnOn(String canvas) {
        return "(() => { const canvas = " + canvas
                + "; const chart = Chart.getChart(canvas); const area = chart.chartArea;"
                + " const pixels = canvas.getContext('2d')"
                + ".getImageData(area.left, area.top, area.right - area.left, area.bottom - area.top).data;"
                + " const drawn = new Set();"
                + " for (let i = 0; i < pixels.length; i += 4) { if (pixels[i + 3] === 255) {"
                + " drawn.add('#' + [0, 1, 2].map(j => pixels[i + j].toString(16).padStart(2, '0')).join('')); } }"
                + " return [...new Set(chart.data.datasets.flatMap(it => it.backgroundColor))]"
                + ".filter(colour => drawn.has(colour)).length; })()";
    }

    @Test
    void aStrategyHasTheSameColourInAllChartsEvenIfAnotherOneFailed() throws Exception {
        JsonObject failed = new Gson().toJsonTree(SampleReport.report()).getAsJsonObject();
        JsonObject first = failed.getAsJsonArray("strategies").get(0).getAsJsonObject();
        first.remove("uncontended");
        first.add("contended", new JsonArray());
        first.addProperty("failure", "it broke");
        try (Chromium chromium = browser()) {
            chromium.open(page(new Gson().fromJson(failed, Report.class)));

            List<String> colours = texts(
                    chromium,
                    "[...new Set([...document.querySelectorAll('canvas')].flatMap(it => {"
                            + " const data = Chart.getChart(it).data; return data.datasets.flatMap(set =>"
                            + " Array.isArray(set.backgroundColor) ? set.backgroundColor.map((colour, i) => data.labels[i] + ' ' + colour)"
                            + " : [set.label + ' ' + set.backgroundColor]); }))]");

            assertThat(colours)
                    .hasSizeGreaterThan(5)
                    .extracting(it -> it.split(" ")[0])
                    .doesNotHaveDuplicates();
        }
    }

    @Test
    void eachHeatMapIsOneStopOfTheTabKeyAndArrowKeysMoveInIt() throws Exception {
        try (Chromium chromium = browser()) {
            chromium.open(page());
            assertThat(texts(
                            chromium,
                            "[...document.querySelectorAll('[role=grid]')]"
                                    + ".map(it => '' + it.querySelectorAll('button:not([tabindex=\"-1\"])').length)"))
                    .isNotEmpty()
                    .containsOnly("1");
            chromium.evaluate("document.querySelector('#faults .heat button').focus()");
            String first = focused(chromium);

            chromium.key("ArrowDown");
            String below = focused(chromium);
            assertThat(below).isNotEqualTo(first);
            chromium.key("ArrowRight");
            String besides = focused(chromium);
            assertThat(besides.split(": ")[0])
                    .endsWith(below.split(": ")[0].split(", ")[1])
                    .isNotEqualTo(below);
            chromium.key("ArrowLeft");
            assertThat(focused(chromium)).isEqualTo(below);
            chromium.key("End");
            assertThat(focused(chromium)).isEqualTo(labelOf(chromium, "tr:nth-child(2) td:last-child"));
            chromium.key("ArrowRight");
            assertThat(focused(chromium))
                    .as("there is nothing beyond")
                    .isEqualTo(labelOf(chromium, "tr:nth-child(2) td:last-child"));
            chromium.controlAnd("End");
            assertThat(focused(chromium)).isEqualTo(labelOf(chromium, "tr:last-child td:last-child"));
            chromium.controlAnd("Home");
            assertThat(focused(chromium)).isEqualTo(first);
            chromium.key("ArrowDown");
            chromium.key("Enter");
            assertThat(isOpen(chromium)).isTrue();
            chromium.key("Escape");
            assertThat(isOpen(chromium)).isFalse();
            assertThat(focused(chromium)).isEqualTo(below);

            chromium.key("Tab");
            assertThat(chromium.evaluate("document.activeElement.closest('.scroll') === "
                                    + "document.querySelector('#faults .heat').closest('.scroll')")
                            .getAsBoolean())
                    .as("the next stop is outside")
                    .isFalse();
        }
    }

    private static String focused(Chromium chromium) throws Exception {
        return text(chromium, "document.activeElement.getAttribute('aria-label')");
    }

    private static String labelOf(Chromium chromium, String cell) throws Exception {
        return text(
                chromium,
                "document.querySelector('#faults .heat tbody " + cell + " button').getAttribute('aria-label')");
    }

    /** What would have to be scrolled sideways to be seen. */
    private static String wide(Chromium chromium) throws Exception {
        return text(
                chromium,
                "[...document.querySelectorAll('html, .scroll, dialog')].filter(it => it.scrollWidth > it.clientWidth + 1)"
                        + ".map(it => it.getAttribute('aria-label') || it.tagName).join('; ')");
    }

    @Test
    void onAPhoneNothingScrollsSideways() throws Exception {
        try (Chromium chromium = browser()) {
            chromium.size(390, 844);
            chromium.open(page());

            assertThat(wide(chromium)).isEmpty();
            chromium.screenshot(PICTURES.resolve("top-phone.png"), false);
            chromium.evaluate(FAULTS);
            chromium.screenshot(PICTURES.resolve("faults-phone.png"), false);
            chromium.click("document.querySelector('#faults .heat button')");
            assertThat(number(chromium, "document.querySelector('dialog').getBoundingClientRect().width"))
                    .isLessThanOrEqualTo(390);
            assertThat(wide(chromium)).isEmpty();
            chromium.screenshot(PICTURES.resolve("phone-cell.png"), false);
            assertThat(chromium.complaints()).isEmpty();
        }
    }

    @Test
    void onPaperNothingIsCutOffOrTooSmallAndTheEvidenceIsThere() throws Exception {
        Report report = report();
        try (Chromium chromium = browser()) {
            chromium.size(PAPER_WIDTH, 700);
            chromium.print();
            chromium.open(page(report));

            assertThat(wide(chromium)).isEmpty();
            assertThat(texts(chromium, SMALL_TEXTS)).as("texts below 8 points").isEmpty();
            assertThat(text(chromium, "document.getElementById('main').innerText"))
                    .contains("When not to use a lock at all", "5. How many threads want the same lock at once?")
                    .doesNotContain("undefined", "NaN", "[object");
            assertThat(texts(
                            chromium,
                            "[...document.querySelectorAll('#appendix table')].filter(it => it.caption.textContent"
                                    + ".startsWith('Evidence')).flatMap(it => [...it.tBodies[0].rows])"
                                    + ".map(it => it.cells[0].innerText)"))
                    .hasSameElementsAs(unsafe(Objects.requireNonNull(report.faults())))
                    .hasSameSizeAs(unsafe(report.faults()));
            chromium.scheme("dark");
            chromium.print(PICTURES.resolve("paper.pdf"));

            String pdf = Files.readString(PICTURES.resolve("paper.pdf"), StandardCharsets.ISO_8859_1);
            assertThat(Pattern.compile("/Type\\s*/Page\\b")
                            .matcher(pdf)
                            .results()
                            .count())
                    .as("sheets")
                    .isGreaterThan(3);
            assertThat(chromium.complaints()).isEmpty();
        }
    }

    /** The faults of the cells that were played, or failed, and are not safe. */
    private static List<String> unsafe(FaultReport faults) {
        return faults.strategies().stream()
                .flatMap(row -> row.cells().stream())
                .filter(cell -> cell.outcome() == Outcome.FAILED
                        || cell.verdict() != null && cell.verdict() != CellVerdict.SAFE)
                .map(cell -> cell.fault())
                .toList();
    }
}
