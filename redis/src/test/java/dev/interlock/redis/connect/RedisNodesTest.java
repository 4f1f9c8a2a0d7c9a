// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.endpoint.RedisEndpoint;
import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RedisNodesTest {
    @Test
    void oneLibraryIsEnough() throws Exception {
        try (URLClassLoader loader = without("lettuce", "netty", "reactor")) {
            assertThat(open(loader, "jedis").toString()).contains("redis://127.0.0.1:1");
            assertThat(open(loader, "interlock").toString()).contains("redis://127.0.0.1:1");
        }
        try (URLClassLoader loader = without("jedis", "commons-pool2")) {
            assertThat(open(loader, "lettuce").toString()).contains("redis://127.0.0.1:1");
        }
    }

    @Test
    void aLibraryThatIsMissingIsNamed() throws Exception {
        try (URLClassLoader loader = without("lettuce", "netty", "reactor")) {
            assertThatThrownBy(() -> open(loader, "lettuce"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("io.lettuce:lettuce-core");
        }
        try (URLClassLoader loader = without("jedis", "commons-pool2")) {
            for (String library : List.of("jedis", "interlock")) {
                assertThatThrownBy(() -> open(loader, library))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("redis.clients:jedis");
            }
        }
    }

    /** The class path of this test less some jars. */
    private static URLClassLoader without(String... jars) throws Exception {
        List<URL> urls = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            Path path = Path.of(entry);
            if (List.of(jars).stream().noneMatch(path.getFileName().toString()::startsWith)) {
                urls.add(path.toUri().toURL());
            }
        }
        return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }

    private static Object open(ClassLoader loader, String library) throws Exception {
        Class<?> endpointType = loader.loadClass(RedisEndpoint.class.getName());
        Class<?> configType = loader.loadClass(LockConfig.class.getName());
        Class<?> environmentType = loader.loadClass(Environment.class.getName());
        Object endpoint = endpointType.getMethod("parse", String.class).invoke(null, "redis://127.0.0.1:1");
        Object config = configType.getMethod("of", String.class).invoke(null, "redis://127.0.0.1:1");
        Object environment = environmentType.getMethod("system").invoke(null);
        Class<?> nodes = loader.loadClass(RedisNodes.class.getName());
        try {
            AutoCloseable node = (AutoCloseable) nodes.getMethod(library, endpointType, configType, environmentType)
                    .invoke(null, endpoint, config, environment);
            node.close();
            return node;
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }
}
