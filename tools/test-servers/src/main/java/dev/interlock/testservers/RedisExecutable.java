// SPDX-License-Identifier: Apache-2.0
package dev.interlock.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import redis.embedded.RedisExecProvider;

/** The redis-server executable, taken out of its jar once per JVM and deleted when the JVM ends. */
final class RedisExecutable {
    private static final ReentrantLock LOCK = new ReentrantLock();
    private static @Nullable String path;

    private RedisExecutable() {}

    /** Returns the path of the executable. */
    static String path() {
        LOCK.lock();
        try {
            String extracted = path == null ? extract() : path;
            path = extracted;
            return extracted;
        } finally {
            LOCK.unlock();
        }
    }

    private static String extract() {
        try {
            return RedisExecProvider.defaultProvider().get().getAbsolutePath();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write redis-server to the directory for temporary files", e);
        } catch (RuntimeException e) {
            // The library reports in this way that it has no server for this system.
            throw new RedisServerException(missing(System.getProperty("os.name"), System.getProperty("os.arch")), e);
        }
    }

    /** Returns the message for a system without an executable. */
    static String missing(String system, String processor) {
        return "there is no embedded redis-server for " + system + " on " + processor
                + ": name servers that you run, as in 'interlock compare --redis redis://host:port',"
                + " or use Linux or macOS; on Windows, WSL or a Linux container will do";
    }
}
