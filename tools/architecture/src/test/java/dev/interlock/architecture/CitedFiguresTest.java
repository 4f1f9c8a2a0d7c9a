// SPDX-License-Identifier: Apache-2.0
package dev.interlock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** A figure that is given with a link as its evidence is found at the target of the link. */
class CitedFiguresTest {
    private static final Path ROOT = Path.of("../..");
    private static final Pattern LINK = Pattern.compile("\\[([^]]*)]\\(([^)]*)\\)");
    private static final Pattern NUMBER = Pattern.compile("(?<![\\w.,])\\d+(?:[.,]\\d+)*");
    private static final Pattern HEADING = Pattern.compile("(?m)^(#+) (.+)$");

    private static final Pattern CODE = Pattern.compile("`([^`]+)`");

    /** The libraries in the columns of the table of facts, as evidence names them. */
    private static final List<Pattern> LIBRARIES = List.of(
            Pattern.compile("set-nx-px"),
            Pattern.compile("RLock|redisson-rlock"),
            Pattern.compile("RedisLockRegistry|spring-(?:spin|pubsub)"));

    private static List<String> numbers(String text) {
        return NUMBER.matcher(text.replaceAll("`[^`]*`", "code"))
                .results()
                .map(found -> found.group())
                .toList();
    }

    /**
     * Returns the sections of a page that have an anchor, each with its heading and up to the next one of its level.
     */
    private static List<String> sections(String page, String anchor) {
        List<String> sections = new ArrayList<>();
        Matcher heading = HEADING.matcher(page);
        while (heading.find()) {
            String text = heading.group(2).toLowerCase(Locale.ROOT);
            if (text.replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-').equals(anchor)) {
                Matcher end = Pattern.compile("(?m)^#{1," + heading.group(1).length() + "} ")
                        .matcher(page);
                sections.add(page.substring(heading.start(), end.find(heading.end()) ? end.start() : page.length()));
            }
        }
        return sections;
    }

    /** Returns the text that a link of a page leads to. */
    private static String linked(String page, String target) throws IOException {
        String[] parts = target.split("#", 2);
        String text = Files.readString(ROOT.resolve(page).resolveSibling(parts[0]));
        if (parts.length == 1) {
            return text;
        }
        List<String> sections = sections(text, parts[1]);
        assertThat(sections)
                .as("sections of " + parts[0] + " with the anchor " + parts[1])
                .hasSize(1);
        return sections.get(0);
    }

    private static List<String> missing(String page, String figures, String links) throws IOException {
        List<String> evidence = new ArrayList<>();
        for (Matcher link = LINK.matcher(links); link.find(); ) {
            evidence.addAll(numbers(linked(page, link.group(2))));
        }
        return numbers(figures).stream()
                .filter(number -> !evidence.contains(number))
                .toList();
    }

    @Test
    void eachFigureOfTheTableOfFactsStandsWhereItsRowLeads() throws IOException {
        String facts = sections(Files.readString(ROOT.resolve("README.md")), "why-not-redisson-or-springs-registry")
                .get(0);
        List<String> rows = facts.lines()
                .filter(line -> line.startsWith("| ") && !line.endsWith("| evidence |"))
                .toList();
        assertThat(rows).hasSizeGreaterThan(5);
        int figures = 0;
        for (String row : rows) {
            List<String> cells = Arrays.asList(row.split("\\|"));
            String claim = String.join(" ", cells.subList(2, cells.size() - 1));
            String evidence = cells.get(cells.size() - 1);
            assertThat(evidence).as(row).containsPattern(LINK);
            assertThat(missing("README.md", claim, evidence)).as(row).isEmpty();
            figures += numbers(claim).size();
        }
        assertThat(figures).isGreaterThan(10);
    }

    @Test
    void theEvidenceOfEachFactNamesTheLibrariesAndTheCodeThatItIsAbout() throws IOException {
        String facts = sections(Files.readString(ROOT.resolve("README.md")), "why-not-redisson-or-springs-registry")
                .get(0);
        List<String> rows = facts.lines().filter(line -> line.startsWith("| ")).toList();
        assertThat(rows.get(0).split("\\|")).hasSize(LIBRARIES.size() + 3);
        int names = 0;
        for (String row : rows.subList(1, rows.size())) {
            List<String> cells = Arrays.asList(row.split("\\|"));
            String links = cells.get(cells.size() - 1);
            StringBuilder evidence = new StringBuilder(links);
            for (Matcher link = LINK.matcher(links); link.find(); ) {
                evidence.append(linked("README.md", link.group(2)));
            }
            for (int i = 0; i < LIBRARIES.size(); i++) {
                String claim = cells.get(i + 2);
                assertThat(evidence).as(row).containsPattern(LIBRARIES.get(i));
                for (Matcher code = CODE.matcher(claim); code.find(); names++) {
                    assertThat(evidence).as(row).contains(code.group(1).replace("()", ""));
                }
            }
        }
        assertThat(names).isGreaterThan(5);
    }

    @Test
    void eachFigureInALinkToAMeasurementStandsThere() throws IOException {
        for (String page : List.of("README.md", "docs/decide.md")) {
            Matcher link = LINK.matcher(Files.readString(ROOT.resolve(page)));
            int figures = 0;
            while (link.find()) {
                if (link.group(2).contains("performance.md")) {
                    assertThat(missing(page, link.group(1), link.group()))
                            .as(page + ": " + link.group())
                            .isEmpty();
                    figures += numbers(link.group(1)).size();
                }
            }
            assertThat(figures).as(page).isPositive();
        }
    }

    @Test
    void eachMeasurementHasAHeadingOfItsOwn() throws IOException {
        String page = Files.readString(ROOT.resolve("docs/performance.md"));
        assertThat(HEADING.matcher(page).results().map(heading -> heading.group(2)))
                .doesNotHaveDuplicates();
    }
}
