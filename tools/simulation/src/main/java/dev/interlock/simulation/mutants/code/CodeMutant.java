// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.mutants.code;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A deliberate error in a class: a text of its source, and what is there instead.
 *
 * @param name says what is wrong
 * @param module the module of the class, as the directory of the checkout is called
 * @param className the class, with its package
 * @param text a text that its source has exactly once
 * @param other the replacement
 */
public record CodeMutant(String name, String module, String className, String text, String other) {
    private static final String HOME = "interlock.home";

    /**
     * Returns the source of the class with the error.
     *
     * @throws IllegalStateException if the source is not there, or does not have the text exactly once
     */
    public String source() {
        Path file = Path.of(
                System.getProperty(HOME, "../.."),
                module,
                "src/main/java",
                className.replace('.', '/').concat(".java"));
        if (!Files.isReadable(file)) {
            throw new IllegalStateException("mutant " + name + " needs the source " + file.toAbsolutePath()
                    + ", which is not there: run ./interlock simulate from a checkout, or set -D" + HOME + " to one");
        }
        try {
            return replaceIn(Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file, e);
        }
    }

    private String replaceIn(String source) {
        int at = source.indexOf(text);
        if (at < 0 || source.indexOf(text, at + 1) >= 0) {
            throw new IllegalStateException("mutant " + name + " replaces a text that " + className + " has "
                    + (at < 0 ? "no more" : "more than once") + ": " + text);
        }
        return source.substring(0, at) + other + source.substring(at + text.length());
    }
}
