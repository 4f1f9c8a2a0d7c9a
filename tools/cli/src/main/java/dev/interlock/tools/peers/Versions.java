// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.peers;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.Properties;

/** The versions of the other libraries, as this module was built with them. */
final class Versions {
    private static final Properties ALL = read();

    private Versions() {}

    private static Properties read() {
        try (InputStream in = Versions.class.getResourceAsStream("version.properties")) {
            Properties properties = new Properties();
            properties.load(Objects.requireNonNull(in, "version.properties"));
            return properties;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the versions", e);
        }
    }

    static String of(String library) {
        return Objects.requireNonNull(ALL.getProperty(library), library);
    }
}
