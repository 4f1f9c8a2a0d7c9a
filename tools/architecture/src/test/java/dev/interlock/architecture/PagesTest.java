// SPDX-License-Identifier: Apache-2.0
package dev.interlock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.tools.site.LinkCheck;
import dev.interlock.tools.site.Site;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The links of the pages lead to files, headings and lines that exist, in the checkout and on the site. */
class PagesTest {
    private static final Path ROOT = Path.of("../..");
    private static final Pattern LINK = Pattern.compile("<(?:a|img|link)\\b[^>]*\\b(?:href|src)=\"([^\"]+)\"");

    @TempDir
    Path site;

    @Test
    void everyLinkOfThePagesLeadsToSomething() throws IOException {
        assertThat(LinkCheck.broken(ROOT)).isEmpty();
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
