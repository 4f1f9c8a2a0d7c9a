// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.backends;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.Properties;

/** Which Interlock this is, and which library draws its charts. */
public final class Version {
    public static final String OF_INTERLOCK = read("version");
    public static final String OF_CHARTS = read("chart.js");

    private Version() {}

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
