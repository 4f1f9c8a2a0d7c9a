// SPDX-License-Identifier: Apache-2.0
package dev.interlock.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.interlock.tools.site.CodeBlock;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.xml.sax.InputSource;

/**
 * No block of code on a page goes unchecked. Java is compiled, in the frame that an HTML comment above it gives
 * ({@code compiled in:}, with {@code ...} where the block belongs) and that holds for the rest of the page. Other
 * comments name the test that uses the block ({@code tested by:} file and method, as {@code File.java#method}), or are
 * the name under which a test reads the block. {@code PageCommandsTest} checks commands, and {@link JavadocCodeTest}
 * checks code in comments.
 */
class PageCodeTest {
    private static final Path ROOT = Path.of("../..");
    private static final String FRAME = "compiled in:";
    private static final String TESTED = "tested by:";
    private static final String HOLE = "...";

    /** Languages whose blocks a program of another module runs: each block has a comment by which a test finds it. */
    private static final Set<String> RUN_ELSEWHERE = Set.of("sql", "lua");

    /** Blocks that are no code: output, and commands, which have a test of their own. */
    private static final Set<String> NO_CODE = Set.of("sh", "text", CodeBlock.SPAN);

    private static List<CodeBlock> code;

    @TempDir
    Path classes;

    @BeforeAll
    static void read() throws IOException {
        code = CodeBlock.all(ROOT);
    }

    /** The comment that holds for a block of Java: its own, or the last one above it on its page. */
    private static Map<CodeBlock, String> comments() {
        Map<CodeBlock, String> comments = new LinkedHashMap<>();
        String page = "";
        String last = "";
        for (CodeBlock block : code) {
            if (!block.page().equals(page)) {
                page = block.page();
                last = "";
            }
            if (block.language().equals("java")) {
                String own = block.comment();
                comments.put(block, own.isEmpty() ? last : own);
                if (own.startsWith(FRAME) || own.startsWith(TESTED)) {
                    last = own;
                }
            }
        }
        return comments;
    }

    @Test
    void everyBlockOfJavaCompiles() {
        CompiledBlocks blocks = new CompiledBlocks();
        comments().forEach((block, comment) -> {
            if (comment.startsWith(FRAME)) {
                blocks.add(block.place(), framed(comment.substring(FRAME.length()), block));
            }
        });
        assertThat(blocks.errors(classes))
                .as("blocks of Java that do not compile")
                .isEmpty();
        assertThat(blocks.size()).isGreaterThan(10);
    }

    private static String framed(String frame, CodeBlock block) {
        int hole = frame.indexOf(HOLE);
        assertThat(hole).as(block.place() + ": a frame without " + HOLE).isNotNegative();
        return frame.substring(0, hole) + block.text() + frame.substring(hole + HOLE.length());
    }

    @Test
    void everyBlockHasALanguageAndIsChecked() throws IOException {
        Map<CodeBlock, String> java = comments();
        List<String> silent = new ArrayList<>();
        for (CodeBlock block : code) {
            String comment = java.getOrDefault(block, block.comment());
            boolean checked = switch (block.language()) {
                case "java" -> comment.startsWith(FRAME) || isTested(block, comment);
                case "xml", "properties" -> true;
                default ->
                    NO_CODE.contains(block.language())
                            || RUN_ELSEWHERE.contains(block.language()) && isTested(block, comment);
            };
            if (!checked) {
                silent.add(block.place() + ": language \"" + block.language() + "\", comment \"" + comment + "\"");
            }
        }
        assertThat(silent)
                .as("blocks that nothing checks: name their language (text for output), and put a comment above them,"
                        + " as this test's description says")
                .isEmpty();
    }

    @Test
    void codeWithoutALanguageIsFoundAndIsNoCodeThatIsChecked(@TempDir Path root) throws IOException {
        Files.writeString(root.resolve("page.md"), "# Page\n\n    indented();\n\n```\nfenced();\n```\n");
        assertThat(CodeBlock.all(root))
                .extracting(CodeBlock::language, CodeBlock::text)
                .containsExactly(tuple("", "indented();\n"), tuple("", "fenced();\n"));
        assertThat(NO_CODE).doesNotContain("");
    }

    /**
     * Returns whether a test reads the block: the one that the comment names, which has to look for the blocks that
     * name it, or one that finds the block by its comment.
     */
    private static boolean isTested(CodeBlock block, String comment) throws IOException {
        if (!comment.startsWith(TESTED)) {
            return !comment.isEmpty() && testsThatReadBlocks().contains("\"" + comment + "\"");
        }
        String[] test = comment.substring(TESTED.length()).strip().split("#", 2);
        Path file = ROOT.resolve(test[0]);
        return test.length == 2 && Files.isRegularFile(file) && isReadBy(Files.readString(file), test[1], block.page());
    }

    /** Returns whether a source has the test of a name, which asks for the blocks of a page that name it. */
    private static boolean isReadBy(String source, String test, String page) {
        Matcher method = Pattern.compile("    @Test\n(?:    @.*\n)*    void " + Pattern.quote(test)
                        + "\\(.*\n(?:        .*\n|\n)*?    }\n")
                .matcher(source);
        return source.contains(page + "\"") && method.find() && method.group().contains("testedBy(\"" + test + "\")");
    }

    @Test
    void aTestThatDoesNotReadTheBlockIsNone() {
        String source = """
                class T {
                    private static final Path PAGE = Path.of("../../docs/page.md");

                    @Test
                    void reads(@TempDir Path directory) throws IOException {
                        compile(directory, testedBy("reads"));

                    }

                    @Test
                    void readsNothing() {
                        assertThat(1).isOne();
                    }

                    void isNoTest() {
                        testedBy("isNoTest");
                    }
                }
                """;
        assertThat(isReadBy(source, "reads", "docs/page.md")).isTrue();
        assertThat(isReadBy(source, "reads", "docs/other.md")).isFalse();
        assertThat(isReadBy(source, "readsNothing", "docs/page.md")).isFalse();
        assertThat(isReadBy(source, "isNoTest", "docs/page.md")).isFalse();
        assertThat(isReadBy(source, "missing", "docs/page.md")).isFalse();
    }

    /** The sources of the tests that find blocks by the comments above them, with the dialects of SQL put in. */
    private static String testsThatReadBlocks() throws IOException {
        StringBuilder text = new StringBuilder();
        Path fencing = ROOT.resolve("examples/fencing/src/test/java/dev/interlock/examples/fencing");
        for (String test : List.of("FencingTest.java", "PostgresFencingTest.java")) {
            String source = Files.readString(fencing.resolve(test));
            text.append(source);
            for (String dialect : List.of("h2", "mysql")) {
                if (source.contains("\"" + dialect + "\"")) {
                    text.append(source.replace("dialect + \"", "\"" + dialect));
                }
            }
        }
        Path strategy = ROOT.resolve("strategy-set-nx-px/src/test/java/com/example/locks");
        for (String file : SHOWN) {
            assertThat(strategy.resolve(file)).exists();
            text.append('"').append(file).append('"');
        }
        return text.toString();
    }

    @Test
    void everyBlockOfXmlIsXmlAndNamesOurArtifactsAsTheyAre() throws Exception {
        Set<String> artifacts = new HashSet<>();
        for (String module : BuildFiles.published()) {
            artifacts.add(BuildFiles.text(BuildFiles.pom(module), "artifactId").orElseThrow());
        }
        String version = BuildFiles.text(BuildFiles.pom(""), "version").orElseThrow();
        Pattern ours = Pattern.compile(
                "<groupId>dev\\.interlock</groupId>\\s*<artifactId>([^<]+)</artifactId>(?:\\s*<version>([^<]+)</version>)?");
        int found = 0;
        for (CodeBlock block : code) {
            if (block.language().equals("xml")) {
                DocumentBuilderFactory.newInstance()
                        .newDocumentBuilder()
                        .parse(new InputSource(new StringReader("<page>" + block.text() + "</page>")));
                Matcher matcher = ours.matcher(block.text());
                while (matcher.find()) {
                    found++;
                    assertThat(artifacts).as(block.place()).contains(matcher.group(1));
                    assertThat(matcher.group(2)).as(block.place()).isIn(null, version);
                }
            }
        }
        assertThat(found).isGreaterThan(3);
    }

    @Test
    void everyBlockOfPropertiesHasKnownKeysWithValues() throws IOException {
        Set<String> known = KnownProperties.read();
        int found = 0;
        for (CodeBlock block : code) {
            if (block.language().equals("properties")) {
                Properties properties = new Properties();
                properties.load(new StringReader(block.text()));
                assertThat(properties).as(block.place()).isNotEmpty();
                assertThat(properties.values()).as(block.place()).doesNotContain("");
                assertThat(properties.stringPropertyNames())
                        .as(block.place() + ": keys that no metadata describes")
                        .allMatch(key -> KnownProperties.isKnown(key, known));
                found += properties.size();
            }
        }
        assertThat(found).isGreaterThan(5);

        assertThat(List.of("interlock.lease", "interlock.factories.a.lease", "interlock.option.wire"))
                .allMatch(key -> KnownProperties.isKnown(key, known));
        assertThat(List.of(
                        "interlock.leash", "interlock.factories.a.leash", "interlock.option.wired", "junit.jupiter.no"))
                .noneMatch(key -> KnownProperties.isKnown(key, known));
    }

    private static final List<String> SHOWN =
            List.of("PlainSetProtocol.java", "PlainSetStrategyProvider.java", "PlainSetConformanceTest.java");

    /** Returns the text of a file below its imports, without the tag of its leg. */
    private static String body(Path file) throws IOException {
        String source = Files.readString(file);
        return source.substring(source.indexOf('\n', source.lastIndexOf("\nimport ") + 1))
                .replace("@Tag(\"deep\")\n", "")
                .strip();
    }

    @Test
    void theStrategyThatThePageWritesIsTheOneThatPassesTheKit() throws IOException {
        Path sources = ROOT.resolve("strategy-set-nx-px/src/test/java/com/example/locks");
        List<String> shown = new ArrayList<>();
        for (CodeBlock block : code) {
            if (block.page().equals("docs/writing-a-strategy.md") && SHOWN.contains(block.comment())) {
                shown.add(block.comment());
                assertThat(block.text().strip()).isEqualTo(body(sources.resolve(block.comment())));
            }
        }
        assertThat(shown).containsExactlyInAnyOrderElementsOf(SHOWN);
    }
}
