// SPDX-License-Identifier: Apache-2.0
package com.example.counter;

import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** A number in a file that several processes share. */
@ApplicationScoped
class Counter {
    private final Path file;

    Counter(@ConfigProperty(name = "counter.file") Path file) {
        this.file = file;
    }

    @Locked("counter")
    void increment() throws IOException {
        int count = Integer.parseInt(Files.readString(file));
        Files.writeString(file, String.valueOf(count + 1));
    }
}
