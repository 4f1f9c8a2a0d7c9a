// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot;

import dev.interlock.spring.boot.internal.ServerConnection;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Node;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslStoreBundle;

/** Reads which servers Spring Boot's own Redis support would connect to. */
final class RedisServers {
    private RedisServers() {}

    /**
     * Reads the details of a connection.
     *
     * @param url the URL that the details may have been read from, or null; they do not tell whether it asks for TLS
     */
    static ServerConnection of(DataRedisConnectionDetails details, @Nullable String url) {
        SslBundle bundle = details.getSslBundle();
        boolean tls = bundle != null || (url != null && asksForTls(url, details.getStandalone()));
        return new ServerConnection(endpoints(details, tls), context(bundle), null);
    }

    private static boolean asksForTls(String url, DataRedisConnectionDetails.@Nullable Standalone server) {
        URI uri = URI.create(url);
        return "rediss".equals(uri.getScheme())
                && server != null
                && server.getHost().equals(uri.getHost())
                && server.getPort() == uri.getPort();
    }

    /** Returns the context of a bundle, or null if there is none or it has no certificates of its own. */
    static @Nullable SSLContext context(@Nullable SslBundle bundle) {
        return bundle == null || bundle.getStores().equals(SslStoreBundle.NONE) ? null : bundle.createSslContext();
    }

    private static List<URI> endpoints(DataRedisConnectionDetails details, boolean tls) {
        String scheme = tls ? "rediss" : "redis";
        String login = login(details.getUsername(), details.getPassword());
        DataRedisConnectionDetails.Sentinel sentinel = details.getSentinel();
        if (sentinel != null) {
            String rest = "/" + sentinel.getDatabase() + sentinelLogin(sentinel) + "#" + sentinel.getMaster();
            return uris(scheme + "-sentinel://" + login, sentinel.getNodes(), rest);
        }
        DataRedisConnectionDetails.Cluster cluster = details.getCluster();
        if (cluster != null) {
            return uris(scheme + "-cluster://" + login, cluster.getNodes(), "");
        }
        DataRedisConnectionDetails.MasterReplica servers = details.getMasterReplica();
        DataRedisConnectionDetails.Standalone standalone = details.getStandalone();
        String database = standalone == null ? "" : "/" + standalone.getDatabase();
        if (servers != null) {
            return uris(scheme + "://" + login, servers.getNodes(), database);
        }
        if (standalone == null) {
            return List.of();
        }
        return uris(scheme + "://" + login, List.of(new Node(standalone.getHost(), standalone.getPort())), database);
    }

    /** Each node has a URI of its own, which is how several IPv6 addresses can be written. */
    private static List<URI> uris(String start, List<Node> nodes, String end) {
        return nodes.stream()
                .map(node -> URI.create(start + host(node.host()) + ":" + node.port() + end))
                .toList();
    }

    private static String host(String host) {
        return host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host;
    }

    private static String login(@Nullable String username, @Nullable String password) {
        return password == null || password.isEmpty()
                ? ""
                : (username == null ? "" : encode(username)) + ":" + encode(password) + "@";
    }

    private static String sentinelLogin(DataRedisConnectionDetails.Sentinel sentinel) {
        String password = sentinel.getPassword();
        if (password == null || password.isEmpty()) {
            return "";
        }
        String username = sentinel.getUsername();
        return "?sentinelPassword=" + encode(password)
                + (username == null || username.isEmpty() ? "" : "&sentinelUsername=" + encode(username));
    }

    /** Encodes for any part of a URI; a form would have a plus for a blank. */
    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace("*", "%2A");
    }
}
