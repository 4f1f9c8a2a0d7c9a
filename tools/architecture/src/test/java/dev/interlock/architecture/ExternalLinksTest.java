// SPDX-License-Identifier: Apache-2.0
package dev.interlock.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import dev.interlock.tools.site.LinkCheck;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Links to other hosts lead to something. Whoever has no network learns that this was not tried. */
class ExternalLinksTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final Pattern IN_SOURCES =
            Pattern.compile("(?:href=\\\\?\"|\")(https?://[\\w.-]+\\.[a-z]+/[^\"\\\\\\s]*)\\\\?\"");

    /** Names of schemas and of ourselves: the repository is not published yet. */
    private static final Pattern NO_PAGE = Pattern.compile("https?://(?:www\\.w3\\.org|maven\\.apache\\.org/POM"
            + "|json-schema\\.org|github\\.com/interlock-locks|[\\w.]*example\\.com|localhost)\\b.*");

    /** What came of a link. */
    private enum Answer {
        THERE,
        MISSING,
        /** A host that wants no programs, or has its own troubles. */
        UNCLEAR,
        UNREACHABLE
    }

    private static final HttpClient CLIENT = HttpClient.newBuilder()
            .followRedirects(HttpClient.Redirect.NORMAL)
            .connectTimeout(LIMIT)
            .build();

    /** The addresses that pages link to, and main sources name, with where they do. */
    private static Map<String, List<String>> links() throws IOException {
        Map<String, List<String>> links = new TreeMap<>(LinkCheck.external(BuildFiles.ROOT));
        for (String module : BuildFiles.modules()) {
            Path main = BuildFiles.ROOT.resolve(module).resolve("src/main");
            if (Files.isDirectory(main)) {
                try (Stream<Path> files = Files.walk(main)) {
                    for (Path file : files.filter(it -> it.toString().matches(".*\\.(java|js|html)"))
                            .toList()) {
                        IN_SOURCES
                                .matcher(Files.readString(file))
                                .results()
                                .forEach(found -> links.computeIfAbsent(found.group(1), link -> new ArrayList<>())
                                        .add(BuildFiles.ROOT.relativize(file).toString()));
                    }
                }
            }
        }
        links.keySet().removeIf(link -> NO_PAGE.matcher(link).matches());
        return links;
    }

    private static Answer ask(String link) throws InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(link.replaceFirst("#.*", "")))
                .timeout(LIMIT)
                .header("User-Agent", "Mozilla/5.0 (compatible; a check of links)")
                .build();
        try {
            int status =
                    CLIENT.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
            if (status == 404 || status == 410) {
                return Answer.MISSING;
            }
            return status < 400 ? Answer.THERE : Answer.UNCLEAR;
        } catch (IOException e) {
            return Answer.UNREACHABLE;
        }
    }

    @Test
    @Tag("nightly")
    void everyLinkToAnotherHostLeadsToSomething() throws Exception {
        Map<String, List<String>> links = links();
        Map<String, Answer> answers = new TreeMap<>();
        for (String link : links.keySet()) {
            answers.put(link, ask(link));
        }
        answers.forEach((link, answer) -> System.out.println(answer + " " + link + " " + links.get(link)));
        assumeTrue(
                answers.values().stream().anyMatch(answer -> answer == Answer.THERE || answer == Answer.MISSING),
                "no host of " + links.size() + " links can be reached from here: none was tried");
        // A host that alone does not answer is gone, or down for an hour: the line above says which.
        assertThat(answers.entrySet())
                .filteredOn(answer -> answer.getValue() == Answer.MISSING)
                .extracting(answer -> answer.getKey() + " " + links.get(answer.getKey()))
                .as("links to pages that do not exist")
                .isEmpty();
    }

    @Test
    void linksOfPagesAndOfSourcesAreFound() throws IOException {
        assertThat(links().keySet())
                .contains("https://semver.org", "https://redis.io/docs/latest/commands/setnx/")
                .allSatisfy(link -> assertThat(URI.create(link)).hasNoUserInfo())
                .noneMatch(link -> link.contains("interlock-locks"));
    }

    @Test
    void aPageThatIsMissingIsToldFromAHostThatIsNotThere() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            String path = exchange.getRequestURI().getPath();
            exchange.sendResponseHeaders(path.equals("/there") ? 200 : path.equals("/missing") ? 404 : 403, -1);
            exchange.close();
        });
        server.start();
        String host = "http://" + server.getAddress().getAddress().getHostAddress() + ":"
                + server.getAddress().getPort();
        try {
            assertThat(Stream.of("/there#part", "/missing", "/refused").map(path -> {
                        try {
                            return ask(host + path);
                        } catch (InterruptedException e) {
                            throw new AssertionError(e);
                        }
                    }))
                    .containsExactly(Answer.THERE, Answer.MISSING, Answer.UNCLEAR);
        } finally {
            server.stop(0);
        }
        assertThat(ask(host + "/there")).isEqualTo(Answer.UNREACHABLE);
    }
}
