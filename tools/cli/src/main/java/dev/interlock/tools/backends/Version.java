// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.backends;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;

/** The versions of Interlock and of the library that draws its charts. */
public final class Version {
    public static final String OF_INTERLOCK = read("version");
    public static final String OF_CHARTS = read("chart.js");

    private Version() {}

    /**
     * Returns the commit of the checkout that the launcher runs from, with a mark if files differ from it; empty
     * elsewhere.
     */
    public static Optional<String> ofCommit() {
        String home = System.getProperty("interlock.home");
        if (home == null) {
            return Optional.empty();
        }
        Optional<String> commit = git(home, "rev-parse", "--short=12", "HEAD");
        Optional<String> changes = git(home, "status", "--porcelain", "--untracked-files=no");
        return commit.map(it -> it
                + changes.filter(text -> !text.isEmpty())
                        .map(text -> " with changes")
                        .orElse(""));
    }

    private static Optional<String> git(String home, String... arguments) {
        List<String> command = new ArrayList<>(List.of("git", "-C", home));
        command.addAll(List.of(arguments));
        try {
            Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return process.waitFor() == 0 ? Optional.of(output) : Optional.empty();
        } catch (IOException e) {
            // Git may be missing.
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    private static String read(String name) {
        try (InputStream in = Version.class.getResourceAsStream("version.properties")) {
            Properties properties = new Properties();
            properties.load(Objects.requireNonNull(in, "version.properties"));
            return Objects.requireNonNull(properties.getProperty(name), name);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the version", e);
        }
    }
}
