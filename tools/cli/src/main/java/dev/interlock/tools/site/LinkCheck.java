// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.site;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds the links on the pages of a checkout that lead nowhere: to a file or folder that does not exist, to a heading
 * that its page does not have, or to a line that its file does not have. Addresses on other hosts are not looked at.
 */
public final class LinkCheck {
    private static final Pattern LINES = Pattern.compile("L(\\d+)(?:-L(\\d+))?");

    private final SitePages pages;

    private LinkCheck(SitePages pages) {
        this.pages = pages;
    }

    /**
     * Returns the links that lead nowhere.
     *
     * @param root the checkout
     * @return a line for each of them: the page, the line, the target, and what is wrong with it
     * @throws IOException if a page cannot be read
     */
    public static List<String> broken(Path root) throws IOException {
        return broken(SitePages.read(root));
    }

    static List<String> broken(SitePages pages) throws IOException {
        LinkCheck check = new LinkCheck(pages);
        List<String> broken = new ArrayList<>();
        for (SitePage page : pages.all()) {
            for (SiteLink link : page.links()) {
                String problem = link.isExternal() ? null : check.problem(page, link.target());
                if (problem != null) {
                    broken.add(page.path() + ":" + link.line() + ": " + link.target() + ": " + problem);
                }
            }
        }
        return broken;
    }

    /**
     * Returns the addresses of other hosts that the pages link to, and where they do: page and line.
     *
     * @param root the checkout
     * @throws IOException if a page cannot be read
     */
    public static Map<String, List<String>> external(Path root) throws IOException {
        Map<String, List<String>> places = new TreeMap<>();
        for (SitePage page : SitePages.read(root).all()) {
            for (SiteLink link : page.links()) {
                if (link.target().matches("https?://.*")) {
                    places.computeIfAbsent(link.target(), target -> new ArrayList<>())
                            .add(page.path() + ":" + link.line());
                }
            }
        }
        return places;
    }

    private @Nullable String problem(SitePage page, String target) throws IOException {
        String path = SiteLink.path(target);
        String anchor = SiteLink.anchor(target);
        if (path.isEmpty()) {
            return page.anchors().contains(anchor) ? null : "this page has no such heading";
        }
        String file = pages.resolve(page, path);
        if (file == null) {
            return "this leads out of the checkout";
        }
        Path found = pages.root().resolve(file);
        if (!Files.exists(found)) {
            return "there is no such file";
        }
        if ((file + "/").contains("target/")) {
            return "this is what a build leaves, and no part of the checkout";
        }
        return anchor.isEmpty() ? null : problem(file, found, anchor);
    }

    private @Nullable String problem(String file, Path found, String anchor) throws IOException {
        SitePage other = pages.get(file);
        if (other != null) {
            return other.anchors().contains(anchor) ? null : "that page has no such heading";
        }
        Matcher lines = LINES.matcher(anchor);
        if (Files.isRegularFile(found) && lines.matches()) {
            int last = Integer.parseInt(lines.group(lines.group(2) == null ? 1 : 2));
            return last <= Files.readAllLines(found).size() ? null : "that file has fewer lines";
        }
        return "that is no page, so it has no headings";
    }
}
