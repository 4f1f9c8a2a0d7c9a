// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.site;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;

/** The layout of all pages of the site: the frame around a page, and the navigation. */
final class SiteLayout {
    /** The file of the site's style. */
    static final String STYLE = "site.css";

    private SiteLayout() {}

    /**
     * Returns a whole page.
     *
     * @param file the file of the page on the site
     * @param title the title of the page
     * @param site the title of the site
     * @param navigation the pages that the page leads to, by file, with their titles
     * @param body the content of the page, as HTML
     */
    static String page(String file, String title, String site, Map<String, String> navigation, String body) {
        StringBuilder entries = new StringBuilder();
        navigation.forEach((target, label) -> entries.append("<li>")
                .append(target.equals(file) ? "<a aria-current=\"page\"" : "<a")
                .append(" href=\"")
                .append(relative(file, target))
                .append("\">")
                .append(escaped(label))
                .append("</a></li>\n"));
        // The body comes last, since it may hold what stands for another part.
        return resource("page.html")
                .replace("@STYLE@", relative(file, STYLE))
                .replace("@TITLE@", escaped(title.equals(site) ? site : title + " · " + site))
                .replace("@NAVIGATION@", entries)
                .replace("@BODY@", body);
    }

    /** The content of a page that lists the pages of a folder: their titles, by their files on the site. */
    static String listing(String folder, Map<String, String> titles) {
        StringBuilder list = new StringBuilder("<h1>" + escaped(folder) + "</h1>\n<ul>\n");
        titles.forEach((file, title) -> list.append("<li><a href=\"")
                .append(file.substring(folder.length() + 1))
                .append("\">")
                .append(escaped(title))
                .append("</a></li>\n"));
        return list.append("</ul>\n").toString();
    }

    /** Returns the relative address of a file of the site from a page. */
    static String relative(String page, String target) {
        String up = "../".repeat((int) page.chars().filter(c -> c == '/').count());
        return up + target;
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    /** A text that the site is made of. */
    static String resource(String name) {
        try (InputStream in = SiteLayout.class.getResourceAsStream(name)) {
            return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + name, e);
        }
    }
}
