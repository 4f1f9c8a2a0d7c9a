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
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The pages can be read and followed: links lead somewhere, lines are short, words are those of the field. */
class PagesTest {
    private static final Path ROOT = Path.of("../..");
    private static final Pattern LINK = Pattern.compile("<(?:a|img|link)\\b[^>]*\\b(?:href|src)=\"([^\"]+)\"");

    /** A line that is a comment, in Java, Lua, TLA+, XML, a shell and others. */
    private static final Pattern COMMENT = Pattern.compile("\\s*(?:/\\*\\*?|\\*|//|--|\\\\\\*|\\(\\*|#|<!--)\\s+(.*)");

    /** A comment behind something else. */
    private static final Pattern BEHIND = Pattern.compile(".*\\s(?://|\\\\\\*|<!--)\\s+(.*)");

    private static final Pattern STRING = Pattern.compile("\"(?:\\\\.|[^\"\\\\])*\"");

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

    /** The rows are {@code | 7 | [title](file) | a sentence |}. */
    @Test
    void theIndexOfTheDecisionsHasEachOnceWithItsTitle() throws IOException {
        Pattern row = Pattern.compile("\\| (\\d+) \\| \\[(.+)]\\(((\\d{4})-[^)]+\\.md)\\) \\| [^|]+\\. \\|");
        Path folder = ROOT.resolve("docs/adr");
        List<String> listed = new ArrayList<>();
        Set<Integer> numbers = new TreeSet<>();
        for (String line : Files.readAllLines(folder.resolve("README.md"))) {
            if (line.startsWith("| ") && !line.startsWith("| number ")) {
                Matcher matcher = row.matcher(line);
                assertThat(matcher.matches()).as("a row of the index: " + line).isTrue();
                assertThat(Files.readAllLines(folder.resolve(matcher.group(3))))
                        .as(matcher.group(3))
                        .startsWith("# " + matcher.group(1) + ". " + matcher.group(2));
                listed.add("docs/adr/" + matcher.group(3));
                numbers.add(Integer.valueOf(matcher.group(4)));
                assertThat(Integer.parseInt(matcher.group(4))).isEqualTo(Integer.parseInt(matcher.group(1)));
            }
        }
        assertThat(listed)
                .as("decisions in docs/adr/README.md")
                .containsExactlyElementsOf(files(ROOT, ".md")
                        .filter(page -> page.startsWith("docs/adr/") && !page.endsWith("/README.md"))
                        .sorted()
                        .toList());
        Set<Integer> missing = new TreeSet<>();
        for (int number = 1; number < listed.size() + missing.size(); number++) {
            if (!numbers.contains(number)) {
                missing.add(number);
            }
        }
        assertThat(missing).as("numbers that the index says were never used").containsExactly(32, 33, 42);
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
        boolean inside = false;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            String comment = inside ? line.strip() : comment(line);
            if (line.codePointCount(0, line.length()) > WIDTH
                    && !comment.matches("<(tr|td|th|caption)\\b.*")
                    && comment.replaceAll("<a [^>]*>", "").contains(" ")) {
                found.add(file + ":" + (i + 1));
            }
            if (file.endsWith(".xml")) {
                inside = line.lastIndexOf("<!--") > line.lastIndexOf("-->") || inside && !line.contains("-->");
            }
        }
        return found;
    }

    /** The text of a comment that a line is or ends with; empty if there is none. */
    private static String comment(String line) {
        Matcher whole = COMMENT.matcher(line);
        if (whole.matches()) {
            return whole.group(1);
        }
        Matcher behind = BEHIND.matcher(STRING.matcher(line).replaceAll("\"\""));
        return behind.matches() ? behind.group(1) : "";
    }

    @Test
    void noLineOfACommentIsLongerThanItShouldBe() throws IOException {
        List<String> files = new ArrayList<>(files(
                        ROOT,
                        ".java",
                        ".lua",
                        ".tla",
                        ".cfg",
                        ".xml",
                        ".yml",
                        ".properties",
                        ".css",
                        ".js",
                        ".py",
                        ".sql")
                .toList());
        assertThat(files).hasSizeGreaterThan(600);
        files.add("interlock");
        for (String hidden : List.of(".ci", ".github", ".mvn")) {
            files(ROOT.resolve(hidden), "").forEach(file -> files.add(hidden + "/" + file));
        }
        assertThat(files).contains(".ci/run", ".github/workflows/build.yml", "pom.xml", "spec/setnxpx/rw-turns.cfg");
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
        assertThat(longComments(
                        "f.xml",
                        List.of(
                                "<!-- " + longLine,
                                longLine,
                                "-->",
                                "<a>" + longLine + "</a>",
                                "<a/> <!-- " + longLine)))
                .containsExactly("f.xml:1", "f.xml:2", "f.xml:5");
        assertThat(longComments("f", List.of("# " + longLine, "x \\* " + longLine, "f(\" // " + longLine + "\");")))
                .containsExactly("f:1", "f:2");
    }

    /**
     * The lines of Java that are too long, but for comments, which have a test of their own. The formatter breaks no
     * string, so a line may be longer by its strings, and lines of a text block are left as they are.
     */
    private static List<String> longCode(String file, List<String> lines) {
        List<String> found = new ArrayList<>();
        boolean text = false;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            boolean delimiter = line.contains("\"\"\"") && line.indexOf("\"\"\"") == line.lastIndexOf("\"\"\"");
            if (!text && !COMMENT.matcher(line).matches()) {
                String code = STRING.matcher(line).replaceAll("\"\"");
                if (code.codePointCount(0, code.length()) > WIDTH) {
                    found.add(file + ":" + (i + 1));
                }
            }
            text ^= delimiter;
        }
        return found;
    }

    @Test
    void noLineOfJavaIsLongerThanItsStringsMakeIt() throws IOException {
        List<String> found = new ArrayList<>();
        for (String file : files(ROOT, ".java").toList()) {
            found.addAll(longCode(file, Files.readAllLines(ROOT.resolve(file))));
        }
        for (String file : files(ROOT.resolve(".ci"), ".java").toList()) {
            found.addAll(longCode(
                    ".ci/" + file, Files.readAllLines(ROOT.resolve(".ci").resolve(file))));
        }
        assertThat(found)
                .as("lines of Java with more than " + WIDTH + " characters besides their strings")
                .isEmpty();

        String longLine = "word ".repeat(25);
        String quotes = "\"\"\"";
        assertThat(longCode(
                        "f",
                        List.of(
                                longLine,
                                "f(\"" + longLine + "\");",
                                "f(" + quotes,
                                longLine,
                                quotes + ");",
                                longLine)))
                .containsExactly("f:1", "f:6");
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

    /** Returns the files that are published besides the pages: main sources, scripts and texts. */
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
