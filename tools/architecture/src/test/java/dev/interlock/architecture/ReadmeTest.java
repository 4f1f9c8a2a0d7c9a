// SPDX-License-Identifier: Apache-2.0
package dev.interlock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.JavaCompiler;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The code that the pages show compiles. */
class ReadmeTest {
    private static final Path ROOT = Path.of("../..");
    private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
    private static final Pattern FILE = Pattern.compile("<!-- (\\w+\\.java) -->\n```java\n(.*?)```", Pattern.DOTALL);

    @TempDir
    Path classes;

    @Test
    void theJavaOfTheReadmeCompiles() throws IOException {
        Matcher matcher = JAVA.matcher(Files.readString(ROOT.resolve("README.md")));
        assertThat(matcher.find()).isTrue();
        String source = "import dev.interlock.*;\nclass Readme { void run(Store store, String data) {\n"
                + matcher.group(1) + "} interface Store { void write(long token, String data); } }";
        assertThat(compile(source)).isEmpty();
    }

    @Test
    void theJavaOfThePageOnObservationCompiles() throws IOException {
        Matcher matcher = JAVA.matcher(Files.readString(ROOT.resolve("docs/observation.md")));
        assertThat(matcher.find()).isTrue();
        String source = "import dev.interlock.*; import java.time.*; import java.util.concurrent.atomic.*;\n"
                + "class Observation { void run() {\n" + matcher.group(1) + "} }";
        assertThat(compile(source)).isEmpty();
    }

    /** Each example of a page as a block of its own. */
    private static String blocks(String page) throws IOException {
        return JAVA.matcher(Files.readString(ROOT.resolve(page)))
                .results()
                .map(result -> "{ " + result.group(1) + "}\n")
                .collect(Collectors.joining());
    }

    @Test
    void theJavaOfThePageOnMetricsCompiles() throws IOException {
        String blocks = blocks("docs/metrics.md");
        assertThat(blocks).contains("LockMetrics", "ObservedLocks");
        String source = "import dev.interlock.*; import dev.interlock.micrometer.*;\n"
                + "import io.micrometer.core.instrument.*; import io.micrometer.observation.*;\n"
                + "class Metrics { void run(MeterRegistry registry, ObservationRegistry observations) {\n" + blocks
                + "} }";
        assertThat(compile(source)).isEmpty();
    }

    @Test
    void theJavaOfThePageOnSpringIntegrationCompiles() throws IOException {
        String blocks = blocks("docs/spring-integration.md");
        assertThat(blocks).contains("InterlockLockRegistry");
        String source = "import dev.interlock.*; import dev.interlock.springintegration.*;\n"
                + "class Registries { void run(DistributedLockFactory locks) {\n" + blocks + "} }";
        assertThat(compile(source)).isEmpty();
    }

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
        Matcher matcher = FILE.matcher(Files.readString(ROOT.resolve("docs/writing-a-strategy.md")));
        while (matcher.find()) {
            shown.add(matcher.group(1));
            assertThat(matcher.group(2).strip()).isEqualTo(body(sources.resolve(matcher.group(1))));
        }
        assertThat(shown)
                .containsExactlyInAnyOrder(
                        "PlainSetProtocol.java", "PlainSetStrategyProvider.java", "PlainSetConformanceTest.java");
    }

    private String compile(String source) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter errors = new StringWriter();
        compiler.getTask(
                        errors,
                        null,
                        null,
                        List.of("-proc:none", "-d", classes.toString(), "-cp", System.getProperty("java.class.path")),
                        null,
                        List.of(new Source(source)))
                .call();
        return errors.toString();
    }

    /** A source that is no file. */
    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String text) {
            super(URI.create("string:///Readme.java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
