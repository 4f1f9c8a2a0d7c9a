// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which links are said to lead nowhere, and which are not. */
class LinkCheckTest {
    @TempDir
    Path root;

    private void write(String file, String text) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    @Test
    void aLinkToAFileThatIsNotThereIsToldWithItsPageAndLine() throws IOException {
        write("docs/page.md", "# Page\n\nSee\n[this](missing.md).\n");
        assertThat(LinkCheck.broken(root)).containsExactly("docs/page.md:4: missing.md: there is no such file");
    }

    @Test
    void aLinkToAHeadingThatItsPageDoesNotHaveIsTold() throws IOException {
        write("page.md", "# Page\n\n[one](other.md#one-thing) [two](other.md#two) [self](#page) [not](#pages)\n");
        write("other.md", "# Other\n\n## One `thing`\n");
        assertThat(LinkCheck.broken(root))
                .containsExactly(
                        "page.md:3: other.md#two: that page has no such heading",
                        "page.md:3: #pages: this page has no such heading");
    }

    @Test
    void headingsOfOneTextHaveAnchorsWithNumbers() throws IOException {
        write("page.md", "# Page\n\n## Use\n\n## Use\n\n[a](#use) [b](#use-1) [c](#use-2)\n");
        assertThat(LinkCheck.broken(root)).containsExactly("page.md:7: #use-2: this page has no such heading");
    }

    @Test
    void linksInTablesAndInHtmlAreLookedAtAndThoseInCodeAreNot() throws IOException {
        write("page.md", """
                # Page

                | a |
                |---|
                | [x](gone.md) |

                <img src="gone.png"> <a id="here"></a> [here](#here)

                `[x](code.md)`

                ```
                [x](code.md)
                ```
                """);
        assertThat(LinkCheck.broken(root))
                .containsExactly(
                        "page.md:5: gone.md: there is no such file", "page.md:7: gone.png: there is no such file");
    }

    @Test
    void aLineOfASourceFileMustBeThere() throws IOException {
        write("Main.java", "one\ntwo\n");
        write("page.md", "[a](Main.java#L2) [b](Main.java#L1-L3) [c](Main.java#main)\n");
        assertThat(LinkCheck.broken(root))
                .containsExactly(
                        "page.md:1: Main.java#L1-L3: that file has fewer lines",
                        "page.md:1: Main.java#main: that is no page, so it has no headings");
    }

    @Test
    void aLinkMayNotLeadToWhatABuildLeavesOrOutOfTheCheckout() throws IOException {
        write("checkout/target/report.html", "");
        write("outside.md", "");
        write("checkout/page.md", "[a](target/report.html) [b](../outside.md)\n");
        assertThat(LinkCheck.broken(root.resolve("checkout")))
                .containsExactly(
                        "page.md:1: target/report.html: this is what a build leaves, and no part of the checkout",
                        "page.md:1: ../outside.md: this leads out of the checkout");
    }

    @Test
    void addressesOnOtherHostsAndFoldersAreFine() throws IOException {
        write("docs/page.md", "[a](https://example.com/x#y) [b](mailto:a@example.com) [c](../docs) [d](page.md)\n");
        assertThat(LinkCheck.broken(root)).isEmpty();
    }
}
