// SPDX-License-Identifier: Apache-2.0
package dev.interlock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.tools.site.LinkCheck;
import dev.interlock.tools.site.Site;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The pages can be read and followed: links lead somewhere, lines are short, words are those of the field. */
class PagesTest {
    private static final Path ROOT = Path.of("../..");
    private static final Pattern LINK = Pattern.compile("<(?:a|img|link)\\b[^>]*\\b(?:href|src)=\"([^\"]+)\"");

    private static final Pattern COMMENT = Pattern.compile("\\s*(?:/\\*\\*?|\\*|//|--|\\\\\\*|\\(\\*)\\s+(.*)");

    private static final int WIDTH = 120;

    private static final Pattern WORKSHOP = Pattern.compile(
            "§ ?\\d|\\bdesign §|\\bdesign,? section|\\b[Ss]eeds? 0\\d|\\brule \\d+ of\\b|\\b[Ii]ssue #?\\d+");

    @TempDir
    Path site;

    @Test
    void everyLinkOfThePagesLeadsToSomething() throws IOException {
        assertThat(LinkCheck.broken(ROOT)).isEmpty();
    }

    @Test
    void theIndexOfTheDocumentationLeadsToEveryPage() throws IOException {
        String index = Files.readString(ROOT.resolve("docs/README.md"));
        assertThat(files(ROOT, ".md").filter(page -> page.startsWith("docs/") && !page.startsWith("docs/adr/")))
                .as("pages; each stands in docs/README.md under tutorial, how-to, reference or explanation")
                .isNotEmpty()
                .allSatisfy(page -> assertThat(page.equals("docs/README.md")
                                || index.contains("](" + page.replaceFirst("docs/", "") + ")")
                                || index.contains("](" + page.replaceFirst("docs/", "") + "#"))
                        .as(page)
                        .isTrue());
    }

    /** The lines of prose that are too long. Tables, code and what cannot be broken may be longer. */
    private static List<String> longLines(String page, List<String> lines) {
        List<String> found = new ArrayList<>();
        String fence = "";
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (fence.isEmpty() && line.startsWith("```")) {
                fence = line.replaceFirst("[^`].*", "");
            } else if (!fence.isEmpty()) {
                fence = line.equals(fence) ? "" : fence;
            } else if (lines.get(i).codePointCount(0, lines.get(i).length()) > WIDTH
                    && !line.startsWith("|")
                    && line.replaceAll("`[^`]*`", "x")
                            .replaceFirst("^[-*>] ", "")
                            .contains(" ")) {
                found.add(page + ":" + (i + 1));
            }
        }
        return found;
    }

    @Test
    void noLineOfProseIsLongerThanItShouldBe() throws IOException {
        List<String> found = new ArrayList<>();
        for (String page : sources(ROOT)) {
            found.addAll(longLines(page, Files.readAllLines(ROOT.resolve(page))));
        }
        assertThat(found)
                .as("lines of prose with more than " + WIDTH + " characters: wrap them")
                .isEmpty();

        String longLine = "word ".repeat(25);
        assertThat(longLines("p", List.of(longLine, "| " + longLine, "```sh", longLine, "```", longLine)))
                .containsExactly("p:1", "p:6");
    }

    /** The lines of comments that are too long. Rows of tables and what cannot be broken may be longer. */
    private static List<String> longComments(String file, List<String> lines) {
        List<String> found = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            Matcher comment = COMMENT.matcher(line);
            if (line.codePointCount(0, line.length()) > WIDTH
                    && comment.matches()
                    && !comment.group(1).matches("<(tr|td|th|caption)\\b.*")
                    && comment.group(1).replaceAll("<a [^>]*>", "").contains(" ")) {
                found.add(file + ":" + (i + 1));
            }
        }
        return found;
    }

    @Test
    void noLineOfACommentIsLongerThanItShouldBe() throws IOException {
        List<String> files = files(ROOT, ".java", ".lua", ".tla").toList();
        assertThat(files).hasSizeGreaterThan(500);
        List<String> found = new ArrayList<>();
        for (String file : files) {
            found.addAll(longComments(file, Files.readAllLines(ROOT.resolve(file))));
        }
        assertThat(found)
                .as("lines of comments with more than " + WIDTH + " characters: wrap them")
                .isEmpty();

        String longLine = "word ".repeat(25);
        assertThat(longComments(
                        "f",
                        List.of("/** " + longLine, " * " + longLine, "// " + longLine, longLine, "-- " + longLine)))
                .containsExactly("f:1", "f:2", "f:3", "f:5");
        assertThat(longComments("f", List.of(" *   <tr><td>" + longLine, "\\* " + longLine)))
                .containsExactly("f:2");
    }

    @Test
    void noPageAndNoSourceHasWordsOfTheWorkshop() throws IOException {
        List<String> found = new ArrayList<>();
        List<String> files = new ArrayList<>(sources(ROOT));
        files.addAll(mainSources(ROOT));
        assertThat(files).hasSizeGreaterThan(500);
        for (String file : files) {
            Matcher matcher = WORKSHOP.matcher(Files.readString(ROOT.resolve(file)));
            if (matcher.find()) {
                found.add(file + ": " + matcher.group());
            }
        }
        assertThat(found).as("words that only those understand who wrote them").isEmpty();

        assertThat(List.of(
                        "design §4",
                        "as in design, section 1",
                        "Seeds 000 and 002",
                        "rule 7 of the list",
                        "issue #12",
                        "issue 12"))
                .allMatch(text -> WORKSHOP.matcher(text).find());
        assertThat(List.of(
                        "rule 4.2",
                        "rule 4.2 of the contract",
                        "a seed reproduces a run",
                        "--seeds 100",
                        "the design of the engine"))
                .noneMatch(text -> WORKSHOP.matcher(text).find());
    }

    /** All pages of the checkout. */
    private static List<String> sources(Path root) throws IOException {
        return files(root, ".md").filter(file -> !file.contains("/src/")).toList();
    }

    /** What is published besides the pages: main sources, scripts and texts among them. */
    private static List<String> mainSources(Path root) throws IOException {
        return files(root, ".java", ".lua", ".properties", ".html", ".tla")
                .filter(file -> file.contains("/src/main/") || file.startsWith("spec/"))
                .toList();
    }

    private static Stream<String> files(Path root, String... endings) throws IOException {
        List<String> found = new ArrayList<>();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                String name = folder.getFileName().toString();
                boolean skipped = !folder.equals(root) && (name.startsWith(".") || name.equals("target"));
                return skipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (Stream.of(endings).anyMatch(file.toString()::endsWith)) {
                    found.add(root.relativize(file).toString().replace('\\', '/'));
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return found.stream();
    }

    @Test
    void everyLinkOfTheSiteLeadsToAFileOfTheSiteAndToAnAnchorInIt() throws IOException {
        assertThat(Site.write(ROOT, site)).isGreaterThan(50);
        List<String> broken = new ArrayList<>();
        int links = 0;
        for (Path page : pages()) {
            Matcher matcher = LINK.matcher(Files.readString(page));
            while (matcher.find()) {
                String target = matcher.group(1);
                if (!target.matches("[a-z]+:.*")) {
                    links++;
                    if (!exists(page, target)) {
                        broken.add(site.relativize(page) + " -> " + target);
                    }
                }
            }
        }
        assertThat(broken).isEmpty();
        assertThat(links).isGreaterThan(1000);
    }

    private static boolean exists(Path page, String target) throws IOException {
        String[] parts = target.split("#", 2);
        Path file = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]);
        return Files.isRegularFile(file)
                && (parts.length == 1 || Files.readString(file).contains("id=\"" + parts[1] + "\""));
    }

    /** The pages of the site that are made from ours; the report is a page of its own making. */
    private List<Path> pages() throws IOException {
        try (Stream<Path> files = Files.walk(site)) {
            return files.filter(file -> file.toString().endsWith(".html") && !file.endsWith("docs/report/report.html"))
                    .toList();
        }
    }
}
