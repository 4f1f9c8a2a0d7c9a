// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.site;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The pages of a checkout: all its files in Markdown, except those of builds and those in hidden folders. */
final class SitePages {
    /** The page that the site begins with. */
    static final String FIRST = "README.md";

    private static final Set<String> SKIPPED = Set.of("target", "src");

    private final Path root;
    private final Map<String, SitePage> pages = new TreeMap<>();

    private SitePages(Path root) {
        this.root = root;
    }

    /** Reads all pages below a folder. */
    static SitePages read(Path root) throws IOException {
        SitePages pages = new SitePages(root);
        for (String path : paths(root)) {
            pages.pages.put(path, SitePage.read(root, path));
        }
        return pages;
    }

    private static List<String> paths(Path root) throws IOException {
        List<String> paths = new ArrayList<>();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                String name = folder.getFileName().toString();
                boolean skipped = !folder.equals(root) && (name.startsWith(".") || SKIPPED.contains(name));
                return skipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (file.toString().endsWith(".md")) {
                    paths.add(name(root, file));
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return paths;
    }

    /** The path of a file in the checkout, with slashes. */
    private static String name(Path root, Path file) {
        return root.relativize(file).toString().replace('\\', '/');
    }

    Path root() {
        return root;
    }

    Collection<SitePage> all() {
        return Collections.unmodifiableCollection(pages.values());
    }

    /** The page of a path in the checkout, if that is one. */
    @Nullable
    SitePage get(String path) {
        return pages.get(path);
    }

    /** The page of a path in the checkout, which is one. */
    SitePage require(String path) {
        return Objects.requireNonNull(pages.get(path), path);
    }

    /** The folders that have pages but none that a reader of the folder would begin with; never the root. */
    Set<String> foldersWithoutFirstPage() {
        Set<String> folders = new TreeSet<>();
        pages.values().forEach(page -> folders.add(page.folder()));
        folders.removeIf(folder -> folder.isEmpty() || pages.containsKey(folder + "/" + FIRST));
        return folders;
    }

    /** The pages that are in a folder itself, by path. */
    List<SitePage> in(String folder) {
        return pages.values().stream()
                .filter(page -> page.folder().equals(folder))
                .toList();
    }

    /**
     * Returns the file or folder that a link of a page leads to, whether it exists or not.
     *
     * @return its path in the checkout, with slashes and empty for the root; null if the link leads out of the checkout
     */
    @Nullable
    String resolve(SitePage page, String path) {
        Path absolute = root.toAbsolutePath().normalize();
        Path target = absolute.resolve(page.folder()).resolve(path).normalize();
        return target.startsWith(absolute) ? name(absolute, target) : null;
    }

    /** As {@link #resolve}, for a link that is known to lead to something in the checkout. */
    String require(SitePage page, String path) {
        return Objects.requireNonNull(resolve(page, path), path);
    }
}
