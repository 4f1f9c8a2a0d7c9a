// SPDX-License-Identifier: Apache-2.0
package dev.interlock.examples.fencing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The statements of the page on fencing. */
final class FencingPage {
    private static final Path PAGE = Path.of("..", "..", "docs", "fencing.md");

    private FencingPage() {}

    /** The block of code under a comment of the page, such as {@code postgresql: update}. */
    static String statement(String comment) {
        Pattern block =
                Pattern.compile(Pattern.quote("<!-- " + comment + " -->") + "\n```\\w+\n(.*?)```", Pattern.DOTALL);
        try {
            Matcher matcher = block.matcher(Files.readString(PAGE));
            if (!matcher.find()) {
                throw new AssertionError("the page has no statement \"" + comment + "\"");
            }
            return matcher.group(1).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
