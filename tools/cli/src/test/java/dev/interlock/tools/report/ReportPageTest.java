// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.Gson;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
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
    private static final String FAULTS = "document.getElementById('faults').scrollIntoView()";

    @TempDir
    private Path directory;

    private Path browser;

    @BeforeEach
    void findBrowser() {
        Optional<Path> found = Chromium.find();
        assumeTrue(found.isPresent(), "no Chromium or Chrome is on the PATH");
        browser = found.orElseThrow();
    }

    private Path page() throws Exception {
        return Files.writeString(directory.resolve("report.html"), HtmlRenderer.render(report()));
    }

    private static Report report() throws Exception {
        Report kept = new Gson().fromJson(Files.readString(KEPT), Report.class);
        return kept.schemaVersion() == Report.SCHEMA_VERSION ? kept : SampleReport.report();
    }

    @ParameterizedTest
    @ValueSource(strings = {"light", "dark"})
    void eachCellOpensItsEvidenceAndNothingIsComplainedOf(String scheme) throws Exception {
        try (Chromium chromium = Chromium.start(browser, directory.resolve("profile"))) {
            chromium.size(1200, 900);
            chromium.scheme(scheme);
            chromium.open(page());
            int cells = chromium.evaluate("document.querySelectorAll('.heat button').length")
                    .getAsInt();
            assertThat(cells).isPositive();
            assertThat(chromium.evaluate("[...document.querySelectorAll('.heat button, canvas, .scroll')]"
                                    + ".filter(it => !it.getAttribute('aria-label') && !it.closest('dialog')).length")
                            .getAsInt())
                    .as("things without an accessible name")
                    .isZero();
            // Each in the light, and some in the dark.
            for (int i = 0; i < cells; i += scheme.equals("light") ? 1 : 10) {
                String cell = "document.querySelectorAll('.heat button')[" + i + "]";
                chromium.evaluate(cell + ".click()");
                assertThat(chromium.evaluate("document.getElementById('cell').open")
                                .getAsBoolean())
                        .isTrue();
                String name =
                        chromium.evaluate(cell + ".getAttribute('aria-label')").getAsString();
                String heading = chromium.evaluate("document.getElementById('cell-title').textContent")
                        .getAsString();
                assertThat(name).startsWith(heading.replace(" · ", ", "));
                assertThat(chromium.evaluate("document.querySelector('dialog').textContent")
                                .getAsString())
                        .doesNotContain("undefined", "NaN", "[object");
                if (i == 0) {
                    chromium.screenshot(PICTURES.resolve("cell-" + scheme + ".png"), false);
                }
                chromium.evaluate("document.querySelector('dialog .close').click()");
                assertThat(chromium.evaluate("document.getElementById('cell').open")
                                .getAsBoolean())
                        .isFalse();
            }
            chromium.evaluate(FAULTS);
            chromium.screenshot(PICTURES.resolve("faults-" + scheme + ".png"), false);
            chromium.screenshot(PICTURES.resolve("whole-" + scheme + ".png"), true);
            assertThat(chromium.evaluate("document.getElementById('main').innerText")
                            .getAsString())
                    .doesNotContain("undefined", "NaN", "[object");
            assertThat(chromium.complaints()).isEmpty();
        }
    }

    @Test
    void theGuideAsksOneQuestionAfterTheOtherAndTakesAnswersBack() throws Exception {
        try (Chromium chromium = Chromium.start(browser, directory.resolve("profile"))) {
            chromium.size(1200, 900);
            chromium.open(page());

            assertThat(questions(chromium)).isEqualTo(1);
            choose(chromium, 0, 0);
            choose(chromium, 1, 2);
            choose(chromium, 2, 0);
            assertThat(questions(chromium)).isEqualTo(4);
            assertThat(chromium.evaluate("document.querySelector('.guide + div').innerText")
                            .getAsString())
                    .startsWith("So far")
                    .contains("set-nx-px on one server");

            choose(chromium, 1, 0);
            assertThat(questions(chromium)).isEqualTo(2);
            assertThat(chromium.evaluate("document.querySelector('.guide + div').innerText")
                            .getAsString())
                    .startsWith("Your answer")
                    .contains("redisson")
                    .doesNotContain("set-nx-px on one server");
            chromium.screenshot(PICTURES.resolve("guide.png"), false);
            assertThat(chromium.complaints()).isEmpty();
        }
    }

    private static int questions(Chromium chromium) throws Exception {
        return chromium.evaluate("document.querySelectorAll('.guide fieldset').length")
                .getAsInt();
    }

    private static void choose(Chromium chromium, int question, int answer) throws Exception {
        chromium.evaluate("document.querySelectorAll('.guide fieldset')[" + question + "].querySelectorAll('input')["
                + answer + "].click()");
    }

    @Test
    void arrowKeysMoveThroughTheHeatMapAndEnterOpensACell() throws Exception {
        try (Chromium chromium = Chromium.start(browser, directory.resolve("profile"))) {
            chromium.size(1200, 900);
            chromium.open(page());
            chromium.evaluate("document.querySelector('#faults .heat button').focus()");
            String first = focused(chromium);

            chromium.key("ArrowDown");
            String below = focused(chromium);
            chromium.key("ArrowUp");

            assertThat(below).isNotEqualTo(first);
            assertThat(focused(chromium)).isEqualTo(first);
            chromium.key("Enter");
            assertThat(chromium.evaluate("document.getElementById('cell').open").getAsBoolean())
                    .isTrue();
            chromium.key("Escape");
            assertThat(chromium.evaluate("document.getElementById('cell').open").getAsBoolean())
                    .isFalse();
            assertThat(focused(chromium)).isEqualTo(first);
        }
    }

    private static String focused(Chromium chromium) throws Exception {
        return chromium.evaluate("document.activeElement.getAttribute('aria-label')")
                .getAsString();
    }

    /** What would have to be scrolled sideways to be seen. */
    private static String wide(Chromium chromium) throws Exception {
        return chromium.evaluate(
                        "[...document.querySelectorAll('html, .scroll, dialog')].filter(it => it.scrollWidth > it.clientWidth + 1)"
                                + ".map(it => it.getAttribute('aria-label') || it.tagName).join('; ')")
                .getAsString();
    }

    @Test
    void onAPhoneNothingScrollsSideways() throws Exception {
        try (Chromium chromium = Chromium.start(browser, directory.resolve("profile"))) {
            chromium.size(390, 844);
            chromium.open(page());

            assertThat(wide(chromium)).isEmpty();
            chromium.evaluate(FAULTS);
            chromium.screenshot(PICTURES.resolve("faults-phone.png"), false);
            chromium.evaluate("document.querySelector('#faults .heat button').click()");
            assertThat(chromium.evaluate("document.querySelector('dialog').getBoundingClientRect().width")
                            .getAsInt())
                    .isLessThanOrEqualTo(390);
            assertThat(wide(chromium)).isEmpty();
            chromium.screenshot(PICTURES.resolve("phone-cell.png"), false);
            assertThat(chromium.complaints()).isEmpty();
        }
    }

    @Test
    void onPaperNothingIsCutOff() throws Exception {
        try (Chromium chromium = Chromium.start(browser, directory.resolve("profile"))) {
            chromium.size(1000, 700);
            chromium.print();
            chromium.open(page());
            assertThat(wide(chromium)).isEmpty();
            chromium.scheme("dark");
            chromium.print(PICTURES.resolve("paper.pdf"));

            assertThat(Files.size(PICTURES.resolve("paper.pdf"))).isPositive();
            assertThat(chromium.complaints()).isEmpty();
        }
    }
}
