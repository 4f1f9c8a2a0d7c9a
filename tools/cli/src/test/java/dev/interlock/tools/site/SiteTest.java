// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.site;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.tools.backends.ToolException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The site of a small checkout. */
class SiteTest {
    @TempDir
    Path root;

    private void write(String file, String text) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    private String site(String file) throws IOException {
        return Files.readString(root.resolve("out").resolve(file));
    }

    @BeforeEach
    void makeACheckout() throws IOException {
        write("pom.xml", "<project><scm><url>https://example.com/repository</url></scm></project>");
        write("README.md", """
                # Locks & more

                [Guide](docs/guide.md#first-step), [decisions](docs/adr), ![chart](docs/chart.png), [build](pom.xml#L1),
                [sources](engine/src), [elsewhere](https://example.com/)
                """);
        write("docs/guide.md", "# Guide\n\n## First step\n\n| a |\n|---|\n| [back](../README.md) |\n");
        write("docs/adr/0001-one.md", "# 1. One\n\n[guide](../guide.md)\n");
        write("docs/chart.png", "png");
        write("engine/src/A.java", "");
    }

    @Test
    void pagesBecomeHtmlWithTheirAnchorsAndTheirLinksLeadToHtml() throws IOException {
        assertThat(Site.write(root, root.resolve("out"))).isEqualTo(3);
        assertThat(site("index.html"))
                .contains(
                        "<title>Locks &amp; more</title>",
                        "href=\"docs/guide.html#first-step\"",
                        "href=\"docs/adr/index.html\"",
                        "href=\"https://example.com/\"");
        assertThat(site("docs/guide.html"))
                .contains("<h2 id=\"first-step\">First step</h2>", "<td><a href=\"../index.html\">back</a></td>");
        assertThat(site("docs/adr/0001-one.html")).contains("href=\"../../docs/guide.html\"");
    }

    @Test
    void everyPageLeadsToThoseThatTheFirstOneLinksTo() throws IOException {
        Site.write(root, root.resolve("out"));
        assertThat(site("docs/adr/0001-one.html"))
                .containsSubsequence(
                        "<nav",
                        "href=\"../../index.html\">Locks &amp; more<",
                        "href=\"../../docs/guide.html\">Guide<",
                        "href=\"../../docs/adr/index.html\">adr<",
                        "</nav>");
    }

    @Test
    void aFolderWithoutAFirstPageGetsAListOfItsPages() throws IOException {
        Site.write(root, root.resolve("out"));
        assertThat(site("docs/adr/index.html")).contains("<a href=\"0001-one.html\">1. One</a>");
        assertThat(site("docs/index.html")).contains("<a href=\"guide.html\">Guide</a>");
    }

    @Test
    void filesOfTheDocumentationAreCopiedAndOthersAreShownInTheRepository() throws IOException {
        Site.write(root, root.resolve("out"));
        assertThat(site("docs/chart.png")).isEqualTo("png");
        assertThat(site("index.html"))
                .contains(
                        "src=\"docs/chart.png\"",
                        "href=\"https://example.com/repository/blob/HEAD/pom.xml#L1\"",
                        "href=\"https://example.com/repository/tree/HEAD/engine/src\"");
    }

    @Test
    void aPageBesideAnHtmlFileOfTheSameNameSparesIt() throws IOException {
        write("docs/guide.html", "<p>a page for browsers</p>");
        write("docs/list.md", "# List\n\n[guide](guide.md#first-step), [for browsers](guide.html)\n");
        Site.write(root, root.resolve("out"));
        assertThat(site("docs/list.html")).contains("href=\"../docs/guide.md.html#first-step\"", "href=\"guide.html\"");
        assertThat(site("docs/guide.html")).isEqualTo("<p>a page for browsers</p>");
        assertThat(site("docs/guide.md.html")).contains("<h2 id=\"first-step\">First step</h2>");
        assertThat(site("docs/index.html")).contains("<a href=\"guide.md.html\">Guide</a>");
    }

    @Test
    void noSiteIsWrittenWhileALinkLeadsNowhere() throws IOException {
        write("docs/guide.md", "# Guide\n\n## Another step\n");
        assertThatThrownBy(() -> Site.write(root, root.resolve("out")))
                .isInstanceOf(ToolException.class)
                .hasMessageContaining("README.md:3: docs/guide.md#first-step: that page has no such heading");
        assertThat(root.resolve("out")).doesNotExist();
    }
}
