// SPDX-License-Identifier: Apache-2.0
package dev.interlock.compare;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.stream.Stream;

/** A directory for files that nobody needs for long. It is deleted when it is closed, or with the JVM. */
final class ScratchDirectory implements AutoCloseable {
    /** Processes that end with this JVM may be writing the last of what they write. */
    private static final int TRIES = 50;

    private final Path path;
    private final Thread deleter = new Thread(this::delete, "delete-scratch-directory");

    ScratchDirectory(String prefix) {
        try {
            path = Files.createTempDirectory(prefix);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write to the directory for temporary files", e);
        }
        Runtime.getRuntime().addShutdownHook(deleter);
    }

    Path resolve(String file) {
        return path.resolve(file);
    }

    private void delete() {
        IOException last = null;
        for (int i = 0; i < TRIES && Files.exists(path); i++) {
            try (Stream<Path> files = Files.list(path)) {
                for (Path file : files.toList()) {
                    Files.deleteIfExists(file);
                }
                Files.delete(path);
                return;
            } catch (NoSuchFileException e) {
                return;
            } catch (IOException e) {
                last = e;
                LabStage.pause(i);
            }
        }
        if (last != null) {
            throw new UncheckedIOException("cannot delete " + path, last);
        }
    }

    @Override
    public void close() {
        delete();
        try {
            Runtime.getRuntime().removeShutdownHook(deleter);
        } catch (IllegalStateException e) {
            // The JVM is ending, and the hook runs or has run.
        }
    }
}
