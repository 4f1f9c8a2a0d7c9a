// SPDX-License-Identifier: Apache-2.0
package com.example.counter;

import io.micronaut.context.annotation.Value;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A number in a file that several applications share. */
@Singleton
class Counter {
    private final Path file;

    Counter(@Value("${counter.file}") String file) {
        this.file = Path.of(file);
    }

    @Locked("counter")
    void increment() throws IOException {
        int count = Integer.parseInt(Files.readString(file));
        Files.writeString(file, String.valueOf(count + 1));
    }
}
