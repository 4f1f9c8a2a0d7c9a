// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring;

import dev.interlock.testservers.RedisServer;
import java.time.Duration;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** One server for the tests of a JVM, each of which takes names of its own. */
public final class TestRedis {
    /** The server, which stops when the JVM ends. */
    public static final RedisServer SERVER = RedisServer.start();

    private TestRedis() {}

    /** Waits for what the events of a factory bring about, which come soon but on another thread. */
    public static ConditionFactory eventually() {
        return Awaitility.await().atMost(Duration.ofSeconds(60));
    }

    /** Returns a name that no other test has. */
    public static String name(String start) {
        return start + "-" + UUID.randomUUID();
    }

    /** Tells whether the lock of a name is held, as the server says. */
    public static boolean isHeld(String name) {
        return isHeld(SERVER, "interlock", name);
    }

    /** Tells whether a server has a lock under a prefix. */
    public static boolean isHeld(RedisServer server, String prefix, String name) {
        return Long.valueOf(1).equals(server.command("EXISTS", prefix + ":{" + name + "}"));
    }
}
