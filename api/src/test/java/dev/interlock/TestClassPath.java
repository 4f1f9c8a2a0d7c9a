// SPDX-License-Identifier: Apache-2.0
package dev.interlock;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A directory of resources with a class loader that looks there first, and for classes where these tests are. */
final class TestClassPath implements AutoCloseable {
    private final Path directory;
    private final URLClassLoader loader;

    TestClassPath() throws IOException {
        directory = Files.createTempDirectory("interlock-test");
        loader = new URLClassLoader(new URL[] {directory.toUri().toURL()}, TestClassPath.class.getClassLoader());
    }

    TestClassPath with(String resource, String content) throws IOException {
        Path file = directory.resolve(resource);
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
        return this;
    }

    ClassLoader loader() {
        return loader;
    }

    URL url(String resource) {
        try {
            return directory.resolve(resource).toUri().toURL();
        } catch (MalformedURLException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        loader.close();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
