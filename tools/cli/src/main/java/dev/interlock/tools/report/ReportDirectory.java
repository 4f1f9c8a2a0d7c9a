// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import dev.interlock.tools.backends.ToolException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A directory that reports can be written to, which is made sure of before anything is measured. */
public final class ReportDirectory {
    private final Path directory;

    private ReportDirectory(Path directory) {
        this.directory = directory;
    }

    /**
     * Creates a directory if it does not exist, and checks that it is writable.
     *
     * @param directory the directory
     * @return the same
     * @throws ToolException if it cannot be written to
     */
    public static ReportDirectory open(Path directory) {
        try {
            Files.createDirectories(directory);
            Files.delete(Files.createTempFile(directory, "compare", ".tmp"));
            return new ReportDirectory(directory);
        } catch (IOException e) {
            throw new ToolException(directory + " cannot be written to (" + e + "): name another directory", e);
        }
    }

    /**
     * Writes a file, in place of one that is there.
     *
     * @param file its name
     * @param content its text
     * @throws ToolException if it cannot be written
     */
    public void write(String file, String content) {
        try {
            Files.writeString(directory.resolve(file), content);
        } catch (IOException e) {
            throw new ToolException("cannot write " + directory.resolve(file) + " (" + e + ")", e);
        }
    }
}
