// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.Gson;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The page in a real browser. Pictures of it are in {@code target/report-page}, for people to look at. */
class ReportPageTest {
    private static final Path PICTURES = Path.of("target/report-page");

    /** A report of a whole run, where one was kept; that of the other tests of renderers where not. */
    private static final Path KEPT = Path.of("../../docs/report/report.json");

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
        Report report =
                Files.exists(KEPT) ? new Gson().fromJson(Files.readString(KEPT), Report.class) : RenderersTest.REPORT;
        return Files.writeString(directory.resolve("report.html"), HtmlRenderer.render(report));
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
            for (int i = 0; i < cells; i++) {
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
                if (i == 1) {
                    chromium.screenshot(PICTURES.resolve("cell-" + scheme + ".png"), false);
                }
                chromium.evaluate("document.querySelector('dialog .close').click()");
                assertThat(chromium.evaluate("document.getElementById('cell').open")
                                .getAsBoolean())
                        .isFalse();
            }
            chromium.screenshot(PICTURES.resolve("top-" + scheme + ".png"), false);
            chromium.screenshot(PICTURES.resolve("whole-" + scheme + ".png"), true);
            assertThat(chromium.evaluate("document.getElementById('main').innerText")
                            .getAsString())
                    .doesNotContain("undefined", "NaN", "[object");
            assertThat(chromium.complaints()).isEmpty();
        }
    }

    @Test
    void onAPhoneTablesScrollAndThePageDoesNot() throws Exception {
        try (Chromium chromium = Chromium.start(browser, directory.resolve("profile"))) {
            chromium.size(390, 844);
            chromium.open(page());

            assertThat(chromium.evaluate("document.documentElement.scrollWidth").getAsInt())
                    .isLessThanOrEqualTo(390);
            chromium.screenshot(PICTURES.resolve("phone.png"), false);
            chromium.evaluate("document.querySelector('.heat button').click()");
            assertThat(chromium.evaluate("document.querySelector('dialog').getBoundingClientRect().width")
                            .getAsInt())
                    .isLessThanOrEqualTo(390);
            chromium.screenshot(PICTURES.resolve("phone-cell.png"), false);
            assertThat(chromium.complaints()).isEmpty();
        }
    }

    @Test
    void onPaperItIsDarkOnLight() throws Exception {
        try (Chromium chromium = Chromium.start(browser, directory.resolve("profile"))) {
            chromium.scheme("dark");
            chromium.open(page());
            chromium.print(PICTURES.resolve("paper.pdf"));

            assertThat(Files.size(PICTURES.resolve("paper.pdf"))).isPositive();
            assertThat(chromium.complaints()).isEmpty();
        }
    }
}
