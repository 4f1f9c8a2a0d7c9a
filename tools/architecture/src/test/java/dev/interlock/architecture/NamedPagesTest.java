// SPDX-License-Identifier: Apache-2.0
package dev.interlock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The pages that messages, help texts, comments and scripts send their readers to exist, and so do the targets of links
 * in the kept report.
 */
class NamedPagesTest {
    private static final Path ROOT = BuildFiles.ROOT;

    /** A path below {@code docs}, or a page of the root; not the path of an address on another host. */
    private static final Pattern NAMED =
            Pattern.compile("(?<![\\w./-])(docs/[\\w./-]*\\w|(?:README|CONTRIBUTING|CHANGELOG|SECURITY)\\.md)");

    private static final Pattern LINK = Pattern.compile("\\b(?:href|src)=[\"']([^\"']+)[\"']");

    private static final Set<String> HIDDEN = Set.of(".ci", ".github");

    /** Main sources, what they are built by, and scripts. Tests make up pages of their own. */
    private static List<String> files() throws IOException {
        List<String> found = new ArrayList<>();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                String name = folder.getFileName().toString();
                boolean skipped = !folder.equals(ROOT)
                        && (name.startsWith(".") && !HIDDEN.contains(name)
                                || name.equals("target")
                                || folder.endsWith("src/test")
                                || folder.endsWith("docs"));
                return skipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                String name = ROOT.relativize(file).toString().replace('\\', '/');
                if (name.matches(".*\\.(java|js|html|css|lua|properties|xml|yml|tla|cfg)|\\.ci/\\w+|interlock")) {
                    found.add(name);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return found;
    }

    private static Stream<String> named(String text) {
        return NAMED.matcher(text).results().map(MatchResult::group);
    }

    @Test
    void everyPageThatAMessageOrAScriptNamesExists() throws IOException {
        List<String> broken = new ArrayList<>();
        int found = 0;
        for (String file : files()) {
            for (String page : named(Files.readString(ROOT.resolve(file))).toList()) {
                found++;
                if (!Files.exists(ROOT.resolve(page))) {
                    broken.add(file + ": " + page);
                }
            }
        }
        assertThat(broken).as("pages that do not exist").isEmpty();
        assertThat(found).isGreaterThan(15);

        assertThat(named(
                        "See docs/proof.md. Or docs/adr, docs/a.b/c.md; https://redis.io/docs/latest, CONTRIBUTING.md"))
                .containsExactly("docs/proof.md", "docs/adr", "docs/a.b/c.md", "CONTRIBUTING.md");
    }

    @Test
    void theKeptReportNamesNothingThatDoesNotExist() throws IOException {
        for (String name : List.of("report.html", "report.md", "report.json")) {
            Path file = ROOT.resolve("docs/report").resolve(name);
            String text = Files.readString(file);
            assertThat(named(text))
                    .as(name)
                    .isNotEmpty()
                    .allSatisfy(page -> assertThat(ROOT.resolve(page)).exists());
            // Scripts and styles of the page are in it; what they make of its figures is looked at in a browser.
            Matcher link =
                    LINK.matcher(name.equals("report.html") ? text.replaceAll("(?s)<script.*?</script>", "") : "");
            while (link.find()) {
                String target = link.group(1);
                assertThat(target.startsWith("#") && text.contains("id=\"" + target.substring(1) + "\"")
                                || target.startsWith("data:")
                                || Files.exists(file.resolveSibling(target)))
                        .as(name + " -> " + target)
                        .isTrue();
            }
        }
    }
}
