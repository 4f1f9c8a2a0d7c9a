// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.backends;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A temporary directory. It is deleted when it is closed or the JVM ends. None can be created while the JVM ends.
 */
public final class ScratchDirectory implements AutoCloseable {
    /** How often to try to delete: processes that end with this JVM may still be writing. */
    private static final int TRIES = 50;

    private static final Set<ScratchDirectory> OPEN = new HashSet<>();
    private static boolean jvmEnds;

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(ScratchDirectory::deleteAll, "delete-scratch-directories"));
    }

    private final Path path;

    private ScratchDirectory(Path path) {
        this.path = path;
    }

    public static ScratchDirectory create(String prefix) {
        synchronized (OPEN) {
            if (jvmEnds) {
                throw new ToolException("interrupted");
            }
            try {
                ScratchDirectory directory = new ScratchDirectory(Files.createTempDirectory(
                        prefix + "-" + ProcessHandle.current().pid() + "-"));
                OPEN.add(directory);
                return directory;
            } catch (IOException e) {
                throw new UncheckedIOException("cannot write to the directory for temporary files", e);
            }
        }
    }

    private static void deleteAll() {
        List<ScratchDirectory> left;
        synchronized (OPEN) {
            jvmEnds = true;
            left = List.copyOf(OPEN);
        }
        left.forEach(ScratchDirectory::delete);
    }

    public Path resolve(String file) {
        return path.resolve(file);
    }

    private void delete() {
        for (int tried = 1; Files.exists(path); tried++) {
            try (Stream<Path> files = Files.list(path)) {
                for (Path file : files.toList()) {
                    Files.deleteIfExists(file);
                }
                Files.delete(path);
            } catch (NoSuchFileException e) {
                // Another process has deleted it.
            } catch (IOException e) {
                if (tried == TRIES) {
                    throw new UncheckedIOException("cannot delete " + path, e);
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(tried));
            }
        }
    }

    @Override
    public void close() {
        delete();
        synchronized (OPEN) {
            OPEN.remove(this);
        }
    }
}
