// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.peers;

import io.lettuce.core.RedisClient;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeMap;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.redisson.Redisson;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import redis.clients.jedis.Jedis;

/** The versions of the other libraries, as this module was built with them. */
public final class Versions {
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

    /** Returns the versions of the libraries that speak to Redis here, as this JVM has loaded them. */
    public static Map<String, String> inUse() {
        Map<String, String> versions = new TreeMap<>();
        versions.put("jedis", ofJar("redis.clients", "jedis", Jedis.class));
        versions.put("lettuce-core", ofJar("io.lettuce", "lettuce-core", RedisClient.class));
        versions.put("redisson", ofJar("org.redisson", "redisson", Redisson.class));
        versions.put(
                "shedlock-provider-redis-spring",
                ofJar("net.javacrumbs.shedlock", "shedlock-provider-redis-spring", RedisLockProvider.class));
        versions.put(
                "spring-data-redis",
                ofJar("org.springframework.data", "spring-data-redis", RedisConnectionFactory.class));
        versions.put(
                "spring-integration-redis",
                ofJar("org.springframework.integration", "spring-integration-redis", RedisLockRegistry.class));
        return versions;
    }

    /** Asks what the build of a library has put into its jar, or the manifest of that. */
    private static String ofJar(String group, String artifact, Class<?> member) {
        try (InputStream in =
                member.getResourceAsStream("/META-INF/maven/" + group + "/" + artifact + "/pom.properties")) {
            if (in != null) {
                Properties properties = new Properties();
                properties.load(in);
                return Objects.requireNonNullElse(properties.getProperty("version"), "unknown");
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the version of " + artifact, e);
        }
        return Objects.requireNonNullElse(member.getPackage().getImplementationVersion(), "unknown");
    }

    static String of(String library) {
        return Objects.requireNonNull(ALL.getProperty(library), library);
    }
}
