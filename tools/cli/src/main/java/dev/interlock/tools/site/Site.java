// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.site;

import dev.interlock.tools.backends.ToolException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Writes the pages of a checkout as a static site: an HTML file for each page and for each folder of pages, and copies
 * of the other files in {@code docs} that pages link to. A link to any other file leads to the web view of the
 * repository.
 */
public final class Site {
    private static final Pattern ADDRESS = Pattern.compile("<scm[ >].*?<url>(.*?)</url>.*?</scm>", Pattern.DOTALL);
    private static final String COPIED = "docs/";

    private final SitePages pages;
    private final SitePage first;
    private final Path out;
    private final String repository;
    private final Map<String, String> navigation;
    private final Set<String> copies = new TreeSet<>();

    private Site(SitePages pages, SitePage first, Path out) throws IOException {
        this.pages = pages;
        this.first = first;
        this.out = out;
        repository = repository(pages.root());
        navigation = navigation();
    }

    /**
     * Writes the site.
     *
     * @param root the checkout
     * @param out the folder to write to; files that are there already are overwritten
     * @return how many pages the site has
     * @throws ToolException if links lead nowhere, or if the folder is not a checkout; then nothing has been written
     * @throws IOException if a file cannot be read or written
     */
    public static int write(Path root, Path out) throws IOException {
        SitePages pages = SitePages.read(root);
        SitePage first = pages.get(SitePages.FIRST);
        if (first == null || !Files.exists(root.resolve("pom.xml"))) {
            throw new ToolException(root + " is not a checkout of the repository: name one");
        }
        List<String> broken = LinkCheck.broken(pages);
        if (!broken.isEmpty()) {
            throw new ToolException("links lead nowhere, so no site was written:\n" + String.join("\n", broken));
        }
        return new Site(pages, first, out).write();
    }

    /** The address of the repository's web view, as the build's description names it. */
    private static String repository(Path root) throws IOException {
        Matcher matcher = ADDRESS.matcher(Files.readString(root.resolve("pom.xml")));
        if (!matcher.find()) {
            throw new ToolException("the pom.xml in " + root + " names no address of the repository: add <scm><url>");
        }
        return matcher.group(1);
    }

    private int write() throws IOException {
        for (SitePage page : pages.all()) {
            write(file(page.path()), page.title(), page.toHtml(target -> address(page, target)));
        }
        for (String folder : pages.foldersWithoutFirstPage()) {
            Map<String, String> titles = new LinkedHashMap<>();
            pages.in(folder).forEach(page -> titles.put(file(page.path()), page.title()));
            write(index(folder), folder, SiteLayout.listing(folder, titles));
        }
        for (String file : copies) {
            Path copy = out.resolve(file);
            Files.createDirectories(copy.getParent());
            Files.copy(pages.root().resolve(file), copy, StandardCopyOption.REPLACE_EXISTING);
        }
        Files.writeString(out.resolve(SiteLayout.STYLE), SiteLayout.resource(SiteLayout.STYLE));
        return pages.all().size();
    }

    private void write(String file, String title, String body) throws IOException {
        Path target = out.resolve(file);
        Files.createDirectories(target.getParent());
        Files.writeString(target, SiteLayout.page(file, title, first.title(), navigation, body));
    }

    /**
     * Returns the navigation of every page: the first page, and the pages that it links to, in its order; titles by
     * file.
     */
    private Map<String, String> navigation() {
        Map<String, String> entries = new LinkedHashMap<>();
        entries.put(file(first.path()), first.title());
        for (SiteLink link : first.links()) {
            String path = link.isExternal() ? null : pages.resolve(first, SiteLink.path(link.target()));
            if (path != null && pages.get(path) != null) {
                entries.putIfAbsent(file(path), pages.require(path).title());
            } else if (path != null && !pages.in(path).isEmpty()) {
                entries.putIfAbsent(index(path), path.substring(path.lastIndexOf('/') + 1));
            }
        }
        return entries;
    }

    /** Returns the address on the site of the target of a link. */
    private String address(SitePage page, String target) {
        String path = SiteLink.path(target);
        if (SiteLink.isExternal(target) || path.isEmpty()) {
            return target;
        }
        String suffix = target.substring(path.length());
        String found = pages.require(page, path);
        if (pages.get(found) != null) {
            return SiteLayout.relative(page.path(), file(found)) + suffix;
        }
        if (!pages.in(found).isEmpty()) {
            return SiteLayout.relative(page.path(), index(found));
        }
        boolean isFile = Files.isRegularFile(pages.root().resolve(found));
        if (isFile && found.startsWith(COPIED)) {
            copies.add(found);
            return target;
        }
        return repository + (isFile ? "/blob/HEAD/" : "/tree/HEAD/") + found + suffix;
    }

    /** The file of a page on the site: another one than that of an HTML file of the checkout, which may be copied. */
    private String file(String page) {
        String file = page.replaceFirst("(^|/)README\\.md$", "$1index.html").replaceFirst("\\.md$", ".html");
        return Files.exists(pages.root().resolve(file)) ? page + ".html" : file;
    }

    /** The file on the site that lists a folder. */
    private static String index(String folder) {
        return folder.isEmpty() ? "index.html" : folder + "/index.html";
    }
}
