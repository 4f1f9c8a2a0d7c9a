// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.spring.TestRedis;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.lang.reflect.Method;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootVersion;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.DefaultResourceLoader;

/** The page on Spring Boot shows a program that runs and code that compiles, and leaves out no property. */
class SpringBootPageTest {
    private static final Path PAGE = Path.of("../../docs/spring-boot.md");
    private static final Pattern OLDER_CLIENT = Pattern.compile(
            "<artifactId>(?:jedis|lettuce-core)</artifactId>\\s*<version>([0-9.]+?)(?:\\.RELEASE)?</version>");
    private static final Pattern NAME = Pattern.compile("`([a-z-]+)`");

    /** The blocks in a language. */
    private static Stream<String> blocks(String language) throws IOException {
        return blocks(language, Files.readString(PAGE));
    }

    private static Stream<String> blocks(String language, String page) {
        return Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
                .matcher(page)
                .results()
                .map(block -> block.group(1));
    }

    /** The blocks of Java that a test uses: those below the comment that names it, up to the next such comment. */
    private static String testedBy(String test) throws IOException {
        return Stream.of(Files.readString(PAGE).split("<!-- tested by:\n"))
                .filter(part -> part.lines().findFirst().orElseThrow().endsWith("#" + test))
                .flatMap(part -> blocks("java", part))
                .collect(Collectors.joining("\n"));
    }

    @Test
    void itsJavaCompiles(@TempDir Path directory) throws IOException {
        String blocks = testedBy("itsJavaCompiles").replace("{ … }", "{}");
        assertThat(blocks).contains("@Locked", "DistributedLockFactory", "SKIP");
        compile(
                directory,
                "Page",
                "import dev.interlock.*; import dev.interlock.spring.*; import org.springframework.stereotype.*;\n"
                        + "import java.time.Duration; import org.springframework.beans.factory.config.*;\n"
                        + "import org.springframework.context.annotation.*;\n"
                        + "import org.springframework.scheduling.annotation.*;\n"
                        + "import org.springframework.transaction.annotation.*;\n"
                        + "import org.springframework.web.bind.annotation.*;\n"
                        + "class Page { void store(String month, long token) {}\n" + blocks + "}");
    }

    private static void compile(Path directory, String name, String source) {
        StringWriter errors = new StringWriter();
        ToolProvider.getSystemJavaCompiler()
                .getTask(
                        errors,
                        null,
                        null,
                        List.of(
                                "-proc:none",
                                "-parameters",
                                "-d",
                                directory.toString(),
                                "-cp",
                                System.getProperty("java.class.path")),
                        null,
                        List.of(
                                new SimpleJavaFileObject(
                                        URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE) {
                                    @Override
                                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                                        return source;
                                    }
                                }))
                .call();
        assertThat(errors.toString()).isEmpty();
    }

    /**
     * As on the page, but for both ports, and for the strategy, of which the class path has others beside that of the
     * starter.
     */
    @Test
    void itsProgramLocksAndHasMetrics(@TempDir Path directory) throws Exception {
        compile(directory, "InvoicesApplication", testedBy("itsProgramLocksAndHasMetrics"));
        Properties properties = new Properties();
        properties.load(new StringReader(blocks("properties").findFirst().orElseThrow()));
        properties.put("spring.data.redis.port", String.valueOf(TestRedis.SERVER.port()));
        properties.put("server.port", "0");
        properties.put("interlock.strategy", "set-nx-px");
        try (URLClassLoader loader = new URLClassLoader(
                new URL[] {directory.toUri().toURL()}, getClass().getClassLoader())) {
            SpringApplication application = new SpringApplication(
                    new DefaultResourceLoader(loader), loader.loadClass("com.example.invoices.InvoicesApplication"));
            application.setDefaultProperties(properties);
            try (ConfigurableApplicationContext context = application.run()) {
                String uri = "http://localhost:" + context.getEnvironment().getProperty("local.server.port");
                assertThat(send(HttpRequest.newBuilder(URI.create(uri + "/invoices/42/settle"))
                                .POST(HttpRequest.BodyPublishers.noBody())))
                        .isEmpty();
                assertThat(send(HttpRequest.newBuilder(URI.create(uri + "/actuator/locks?name=invoice:42"))))
                        .contains("invoice:42");
                TestRedis.eventually()
                        .untilAsserted(() -> assertThat(send(HttpRequest.newBuilder(
                                        URI.create(uri + "/actuator/metrics/interlock.lock.hold?tag=group:invoice"))))
                                .contains("\"COUNT\",\"value\":1"));
            }
        }
    }

    private static String send(HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpResponse<String> response =
                HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return response.body();
    }

    @Test
    void itsBuildHasTheVersionsOfThisOne() throws IOException {
        String parent = Files.readString(Path.of("../../pom.xml"));
        String versions = blocks("xml").findFirst().orElseThrow();
        assertThat(versions).contains("<version>" + SpringBootVersion.getVersion() + "</version>");
        Matcher version = Pattern.compile("<version>(.*?)</version>").matcher(parent);
        assertThat(version.find()).isTrue();
        assertThat(Pattern.compile("<artifactId>interlock-.*?</artifactId>\\s*<version>(.*?)</version>")
                        .matcher(versions)
                        .results()
                        .map(it -> it.group(1)))
                .hasSize(2)
                .allMatch(version.group(1)::equals);
    }

    @Test
    void itNamesEachProperty() throws IOException {
        String page = Files.readString(PAGE);
        assertThat(ConfigurationMetadataTest.properties())
                .filteredOn(name -> name.startsWith("interlock.") || name.startsWith("management.health."))
                .isNotEmpty()
                .allSatisfy(name -> assertThat(page).contains("`" + name));
    }

    @Test
    void itNamesTheVersionsOfClientsThatTestsRunWith() throws IOException {
        String page = Files.readString(PAGE);
        String versions = page.substring(page.indexOf("## Versions"));
        assertThat(OLDER_CLIENT.matcher(Files.readString(Path.of("pom.xml"))).results())
                .hasSize(4)
                .allSatisfy(client -> assertThat(versions).contains("| " + client.group(1) + " |"));
        assertThat(versions).contains("| 4.1 | 7.4.1 | 7.5.2 | tested:");
    }

    /** The lines are {@code | `set-nx-px` | `interlock`, `jedis` | locks |}. */
    @Test
    void itsStrategiesByNameAreThoseThatTestsRunOnOlderClients() throws Exception {
        Map<String, Set<String>> run = new TreeMap<>();
        Method test = OlderClientsTest.class.getDeclaredMethod("aStrategyByNameLocks", String.class, String.class);
        for (String line : test.getAnnotation(CsvSource.class).value()) {
            String[] columns = line.split(", client=");
            run.computeIfAbsent(columns[0], strategy -> new TreeSet<>()).add(columns[1]);
        }
        String page = Files.readString(PAGE);
        Map<String, Set<String>> claimed = page.substring(page.indexOf("| strategy by name |"))
                .lines()
                .skip(2)
                .takeWhile(line -> line.endsWith("| locks |"))
                .map(line -> NAME.matcher(line).results().map(it -> it.group(1)).toList())
                .collect(Collectors.toMap(names -> names.get(0), names -> Set.copyOf(names.subList(1, names.size()))));
        assertThat(claimed).isEqualTo(run);
    }
}
