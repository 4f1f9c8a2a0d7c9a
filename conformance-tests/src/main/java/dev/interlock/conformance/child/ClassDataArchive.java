// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.child;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/**
 * A class-data archive, with which child JVMs of the same class path start faster. It is made once for each class path,
 * below {@code target} or {@code build}, by a child that exits normally; without it children start as usual.
 *
 * <p>A JVM can archive only classes from jars, so the directories of the class path are packed.
 */
public final class ClassDataArchive {
    /** The system property that switches archives off by the value {@code false}. */
    public static final String PROPERTY = "interlock.conformance.archive";

    private static final long LIMIT_SECONDS = 30;
    private static final Optional<ClassDataArchive> OF_THIS_CLASS_PATH = find();

    /** How many were begun in this JVM: each has a file of its own until it is complete. */
    private static final AtomicInteger MADE = new AtomicInteger();

    private final Path directory;
    private final List<Path> entries;
    private final List<Path> classPath;

    /** The arguments of the attempts to make it. */
    private final Set<List<String>> tried = new HashSet<>();

    private ClassDataArchive(Path directory, List<Path> entries, List<Path> classPath) {
        this.directory = directory;
        this.entries = entries;
        this.classPath = classPath;
    }

    /**
     * Returns the archive of this JVM's class path.
     *
     * @return the archive, made or not, or empty where there is no place for one
     */
    public static Optional<ClassDataArchive> ofThisClassPath() {
        return OF_THIS_CLASS_PATH;
    }

    private static Optional<ClassDataArchive> find() {
        if (!Boolean.parseBoolean(System.getProperty(PROPERTY, "true"))) {
            return Optional.empty();
        }
        for (String name : List.of("target", "build")) {
            Path output = Path.of(name).toAbsolutePath();
            if (Files.isDirectory(output)) {
                return in(output.resolve("conformance-classes"), PeerJvm.classPath());
            }
        }
        return Optional.empty();
    }

    static Optional<ClassDataArchive> in(Path parent, List<Path> entries) {
        try {
            Path directory = parent.resolve(key(entries));
            List<Path> there = entries.stream().filter(Files::exists).toList();
            List<Path> classPath = new ArrayList<>();
            for (Path entry : there) {
                classPath.add(Files.isDirectory(entry) ? directory.resolve(classPath.size() + ".jar") : entry);
            }
            return Optional.of(new ClassDataArchive(directory, there, classPath));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** A hash of the files of the class path, their times, and the version of the JVM. */
    private static String key(List<Path> entries) throws IOException {
        MessageDigest digest;
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
        update(digest, System.getProperty("java.vm.version") + System.getProperty("java.home"));
        for (Path entry : entries) {
            if (!Files.exists(entry)) {
                continue;
            }
            try (Stream<Path> files = Files.walk(entry)) {
                for (Path file : files.sorted().toList()) {
                    if (Files.isRegularFile(file)) {
                        update(digest, file + " " + Files.size(file) + " " + Files.getLastModifiedTime(file));
                    }
                }
            }
        }
        return HexFormat.of().formatHex(digest.digest()).substring(0, 16);
    }

    private static void update(MessageDigest digest, String text) {
        digest.update(text.getBytes(StandardCharsets.UTF_8));
        digest.update((byte) '\n');
    }

    List<Path> classPath() {
        return classPath;
    }

    /** The file of the archive, if it is complete. */
    Optional<Path> file() {
        Path file = directory.resolve("classes.jsa");
        return Files.exists(file) ? Optional.of(file) : Optional.empty();
    }

    /**
     * Makes the archive unless it exists or an earlier attempt with the same arguments failed. Blocks for at most half
     * a minute; whoever calls this meanwhile waits for the same attempt, since several JVMs that start without the
     * archive would take longer. If the attempt fails, children start without it. If interrupted, returns with the
     * interrupt status set.
     *
     * @param main the class that children run
     * @param args its arguments
     * @param input what the child reads from its standard input, after which it must end in order
     */
    public synchronized void makeOnce(String main, List<String> args, String input) {
        if (file().isPresent() || !tried.add(args)) {
            return;
        }
        try {
            make(main, args, input);
        } catch (IOException | RuntimeException e) {
            // Children start without it.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Makes the archive. Others may do so at the same time; each replaces the file by an equal one. */
    void make(String main, List<String> args, String input) throws IOException, InterruptedException {
        Files.createDirectories(directory);
        for (int i = 0; i < entries.size(); i++) {
            if (Files.isDirectory(entries.get(i))) {
                packOnce(entries.get(i), classPath.get(i));
            }
        }
        Path unfinished =
                directory.resolve("classes-" + ProcessHandle.current().pid() + "-" + MADE.incrementAndGet() + ".tmp");
        Process child = PeerJvm.start(
                        List.of("-XX:ArchiveClassesAtExit=" + unfinished), classPath, main, args.toArray(String[]::new))
                .process();
        CompletableFuture.delayedExecutor(LIMIT_SECONDS, TimeUnit.SECONDS).execute(child::destroyForcibly);
        try {
            try (OutputStream requests = child.getOutputStream()) {
                requests.write(input.getBytes(StandardCharsets.UTF_8));
            }
            child.getInputStream().transferTo(OutputStream.nullOutputStream());
            if (child.waitFor() == 0 && Files.exists(unfinished)) {
                Files.move(unfinished, directory.resolve("classes.jsa"), StandardCopyOption.ATOMIC_MOVE);
            }
        } finally {
            child.destroyForcibly();
            Files.deleteIfExists(unfinished);
        }
    }

    /** Does not replace an existing jar, since an archive is bound to the modification times of its jars. */
    private static void packOnce(Path classes, Path jar) throws IOException {
        if (Files.exists(jar)) {
            return;
        }
        Path unfinished = Files.createTempFile(jar.getParent(), "classes", ".jar.tmp");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(unfinished));
                Stream<Path> files = Files.walk(classes)) {
            for (Path file : files.sorted().toList()) {
                if (Files.isRegularFile(file)) {
                    out.putNextEntry(
                            new JarEntry(classes.relativize(file).toString().replace(File.separatorChar, '/')));
                    Files.copy(file, out);
                    out.closeEntry();
                }
            }
        }
        try {
            // Unlike a move, a link does not replace a jar that another JVM has made meanwhile.
            Files.createLink(jar, unfinished);
        } catch (FileAlreadyExistsException e) {
            // The jar of the other JVM is used.
        } finally {
            Files.deleteIfExists(unfinished);
        }
    }
}
