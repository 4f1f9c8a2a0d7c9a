// SPDX-License-Identifier: Apache-2.0
package dev.interlock.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import redis.embedded.RedisExecProvider;

/** The redis-server executable, taken out of its jar once per JVM and deleted when the JVM ends. */
final class RedisExecutable {
    static final String PATH = extract();

    private RedisExecutable() {}

    private static String extract() {
        try {
            return RedisExecProvider.defaultProvider().get().getAbsolutePath();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write redis-server to the directory for temporary files", e);
        }
    }
}
