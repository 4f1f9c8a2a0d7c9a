// SPDX-License-Identifier: Apache-2.0
package dev.interlock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.tools.site.CodeBlock;
import java.io.IOException;
import java.io.StringReader;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.xml.sax.InputSource;

/**
 * No block of code on a page goes unchecked. Java is compiled, in the frame that an HTML comment above it gives
 * ({@code compiled in:}, with {@code ...} where the block belongs) and that holds for the rest of the page. Other
 * comments say that a test elsewhere uses the block ({@code tested by:} a file, or the name under which a test reads
 * the block), or that nothing here can check it, and why ({@code unchecked:}). Commands are checked by
 * {@code PageCommandsTest}.
 */
class PageCodeTest {
    private static final Path ROOT = Path.of("../..");
    private static final String FRAME = "compiled in:";
    private static final String TESTED = "tested by:";
    private static final String UNCHECKED = "unchecked:";
    private static final String HOLE = "...";

    /** The most blocks that may go unchecked; it may only go down. */
    private static final int MOST_UNCHECKED = 3;

    /** Languages whose blocks a program of another module runs: each block has a comment by which a test finds it. */
    private static final Set<String> RUN_ELSEWHERE = Set.of("sql", "lua", "js");

    /** Blocks that are no code: output, and commands, which have a test of their own. */
    private static final Set<String> NO_CODE = Set.of("", "sh", "text", CodeBlock.SPAN);

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
        Map<String, CodeBlock> packages = new TreeMap<>();
        List<JavaFileObject> sources = new ArrayList<>();
        comments().forEach((block, comment) -> {
            if (comment.startsWith(FRAME)) {
                String name = "block" + packages.size();
                packages.put(name, block);
                sources.add(new Source(name, framed(comment.substring(FRAME.length()), block)));
            }
        });
        DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        ToolProvider.getSystemJavaCompiler()
                .getTask(
                        null,
                        null,
                        diagnostics,
                        List.of("-proc:none", "-d", classes.toString(), "-cp", System.getProperty("java.class.path")),
                        null,
                        sources)
                .call();
        assertThat(diagnostics.getDiagnostics())
                .filteredOn(diagnostic -> diagnostic.getKind() == Diagnostic.Kind.ERROR)
                .extracting(error ->
                        packages.get(((Source) error.getSource()).name).place() + ": " + error.getMessage(Locale.ROOT))
                .as("blocks of Java that do not compile")
                .isEmpty();
        assertThat(packages).hasSizeGreaterThan(10);
    }

    private static String framed(String frame, CodeBlock block) {
        int hole = frame.indexOf(HOLE);
        assertThat(hole).as(block.place() + ": a frame without " + HOLE).isNotNegative();
        return frame.substring(0, hole) + block.text() + frame.substring(hole + HOLE.length());
    }

    @Test
    void everyBlockIsCheckedOrSaysWhyNot() throws IOException {
        Map<CodeBlock, String> java = comments();
        List<String> silent = new ArrayList<>();
        List<String> unchecked = new ArrayList<>();
        for (CodeBlock block : code) {
            String comment = java.getOrDefault(block, block.comment());
            boolean checked = switch (block.language()) {
                case "java" -> comment.startsWith(FRAME) || isTested(block, comment);
                case "xml", "properties" -> true;
                default ->
                    NO_CODE.contains(block.language())
                            || RUN_ELSEWHERE.contains(block.language()) && isTested(block, comment);
            };
            if (comment.startsWith(UNCHECKED) && comment.length() > UNCHECKED.length() + 10) {
                unchecked.add(block.place() + ": " + comment);
            } else if (!checked) {
                silent.add(block.place() + ": " + block.language() + " \"" + comment + "\"");
            }
        }
        assertThat(silent)
                .as("blocks that nothing checks: put a comment above them, as this test's description says")
                .isEmpty();
        System.out.println("unchecked blocks of code on the pages: " + unchecked.size());
        unchecked.forEach(block -> System.out.println("  " + block));
        assertThat(unchecked).hasSizeLessThanOrEqualTo(MOST_UNCHECKED);
    }

    /** Returns whether a test exists that reads the page, and finds the block by its comment if that names no test. */
    private static boolean isTested(CodeBlock block, String comment) throws IOException {
        String page = block.page().replaceFirst(".*/", "");
        if (comment.startsWith(TESTED)) {
            Path test = ROOT.resolve(comment.substring(TESTED.length()).strip());
            return Files.isRegularFile(test) && Files.readString(test).contains(page);
        }
        return !comment.isEmpty() && testsThatReadBlocks().contains("\"" + comment + "\"");
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
    void everyBlockOfPropertiesHasAPropertyOnEachLine() throws IOException {
        int found = 0;
        for (CodeBlock block : code) {
            if (block.language().equals("properties")) {
                found++;
                Properties properties = new Properties();
                properties.load(new StringReader(block.text()));
                assertThat(properties).as(block.place()).isNotEmpty();
                assertThat(properties.values()).as(block.place()).doesNotContain("");
            }
        }
        assertThat(found).isPositive();
    }

    private static final List<String> SHOWN =
            List.of("PlainSetProtocol.java", "PlainSetStrategyProvider.java", "PlainSetConformanceTest.java");

    /** What stands in a file below its imports, but for the leg of this build that it is in. */
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

    /** A block with its frame, in a package of its own, so that blocks may declare the same names. */
    private static final class Source extends SimpleJavaFileObject {
        private static final Pattern PUBLIC = Pattern.compile("^public (?:final )?class (\\w+)", Pattern.MULTILINE);

        private final String name;
        private final String text;

        Source(String name, String text) {
            super(URI.create("string:///" + name + "/" + file(text) + ".java"), Kind.SOURCE);
            this.name = name;
            this.text = "package " + name + ";" + text;
        }

        private static String file(String text) {
            Matcher matcher = PUBLIC.matcher(text);
            return matcher.find() ? matcher.group(1) : "Page";
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
