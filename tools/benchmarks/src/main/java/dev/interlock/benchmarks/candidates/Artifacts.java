// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.candidates;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The dependencies between artifacts, as Maven listed them when this module was built, and their places on the class
 * path.
 */
public final class Artifacts {
    private static final String TREE = "dependencies.txt";

    /**
     * A line of the tree: its depth, three letters a level, and group, artifact, type and version, perhaps in brackets.
     */
    private static final Pattern LINE = Pattern.compile("([-+|\\\\ ]*)\\(?[^:(]+:([^:]+):jar:([^: )]+).*");

    private static final int INDENT = 3;

    private final Map<String, Set<String>> needs;
    private final List<String> entries =
            List.of(System.getProperty("java.class.path").split(File.pathSeparator));

    Artifacts(String tree) {
        needs = parse(tree);
    }

    public static Artifacts ofThisModule() {
        try (InputStream tree = Artifacts.class.getResourceAsStream(TREE)) {
            return new Artifacts(new String(Objects.requireNonNull(tree, TREE).readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + TREE, e);
        }
    }

    private static Map<String, Set<String>> parse(String tree) {
        Map<String, Set<String>> needs = new LinkedHashMap<>();
        Deque<String> path = new ArrayDeque<>();
        for (String line : tree.lines().toList()) {
            Matcher matcher = LINE.matcher(line);
            if (matcher.matches()) {
                while (path.size() > matcher.group(1).length() / INDENT) {
                    path.removeLast();
                }
                String artifact = matcher.group(2);
                if (!path.isEmpty()) {
                    needs.computeIfAbsent(path.getLast(), key -> new LinkedHashSet<>())
                            .add(artifact);
                }
                needs.putIfAbsent(artifact, new LinkedHashSet<>());
                path.addLast(artifact);
            }
        }
        return needs;
    }

    /** Returns some artifacts and all their dependencies, each once. */
    public List<String> neededBy(List<String> artifacts) {
        Set<String> found = new LinkedHashSet<>();
        Deque<String> left = new ArrayDeque<>(artifacts);
        while (!left.isEmpty()) {
            String artifact = left.removeFirst();
            Set<String> more = needs.get(artifact);
            if (more == null) {
                throw new IllegalArgumentException(
                        "this module does not depend on " + artifact + ": name it in its pom");
            }
            if (found.add(artifact)) {
                left.addAll(more);
            }
        }
        return List.copyOf(found);
    }

    /**
     * Returns a class path with some artifacts, their dependencies and this module itself, but without this module's
     * other dependencies.
     */
    public String classPath(List<String> artifacts) {
        List<String> path = new ArrayList<>(List.of(home()));
        artifacts.forEach(artifact -> path.add(entry(artifact)));
        return String.join(File.pathSeparator, path);
    }

    private static String home() {
        return new File(Artifacts.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .getPath())
                .getPath();
    }

    private String entry(String artifact) {
        Pattern jar = Pattern.compile("(.*[/\\\\])?" + Pattern.quote(artifact) + "-\\d[^/\\\\]*\\.jar");
        String module = artifact.replaceFirst("^interlock-", "");
        Pattern classes = Pattern.compile(".*[/\\\\]" + Pattern.quote(module) + "[/\\\\]target[/\\\\]classes");
        return entries.stream()
                .filter(entry ->
                        jar.matcher(entry).matches() || classes.matcher(entry).matches())
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(artifact + " is not on the class path"));
    }
}
