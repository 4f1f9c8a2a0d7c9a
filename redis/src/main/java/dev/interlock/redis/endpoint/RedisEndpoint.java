// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.endpoint;

import dev.interlock.LockConfig;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The address of a Redis server, and the user and password for it.
 *
 * <p>Written as {@code redis://[[user]:password@]host[:port][/database]}, or {@code rediss://…} for TLS with
 * verification of the certificate and the host name against the JVM's trust store. The port defaults to 6379 and the
 * database to 0. Characters of user and password that have a meaning in a URI are percent-encoded; commas and plus
 * signs stand for themselves.
 *
 * <p>Instances are immutable and safe to use from any thread. Neither {@link #toString} nor the message of an exception
 * shows the password.
 */
public final class RedisEndpoint {
    private static final int DEFAULT_PORT = 6379;
    private static final int MAX_PORT = 65_535;
    private static final String ENCODE =
            "percent-encode characters of user and password that have a meaning in a URI, such as @ : / ? # and %";

    private final boolean tls;
    private final String host;
    private final int port;
    private final int database;
    private final Optional<String> username;
    private final Optional<String> password;

    private RedisEndpoint(
            boolean tls, String host, int port, int database, Optional<String> username, Optional<String> password) {
        this.tls = tls;
        this.host = host;
        this.port = port;
        this.database = database;
        this.username = username;
        this.password = password;
    }

    /**
     * Reads an endpoint from text.
     *
     * @param uri the endpoint as a URI
     * @return the endpoint
     * @throws IllegalArgumentException if it is no such URI; the message says what is wrong
     */
    public static RedisEndpoint parse(String uri) {
        try {
            return of(new URI(uri.strip()));
        } catch (URISyntaxException e) {
            // The exception quotes its input, password included, so it is not passed on as a cause.
            throw new IllegalArgumentException(
                    "an endpoint is no URI (" + e.getReason() + "): write redis://host:port, and " + ENCODE);
        }
    }

    /**
     * Reads the endpoints of a configuration.
     *
     * @param config the configuration
     * @return its endpoints, in the same order
     * @throws IllegalArgumentException if one of them is none of a Redis server; the message says which, and what is
     *     wrong
     */
    public static List<RedisEndpoint> allOf(LockConfig config) {
        return config.endpoints().stream().map(RedisEndpoint::of).toList();
    }

    /**
     * Reads an endpoint.
     *
     * @param uri the endpoint
     * @return the endpoint
     * @throws IllegalArgumentException if it is none of a Redis server; the message says what is wrong
     */
    public static RedisEndpoint of(URI uri) {
        String scheme = uri.getScheme();
        if (!"redis".equalsIgnoreCase(scheme) && !"rediss".equalsIgnoreCase(scheme)) {
            throw new IllegalArgumentException(quoted(uri) + " does not begin with redis:// or rediss://; " + ENCODE);
        }
        if (uri.getHost() == null) {
            boolean several = LockConfig.mask(uri).contains(",");
            throw new IllegalArgumentException(quoted(uri) + " names no host and port that a URI may have: write "
                    + (several
                            ? "redis:// or rediss:// before each of several servers"
                            : "redis://host:port with letters, digits, dots and hyphens in the host, and " + ENCODE));
        }
        if (uri.getRawQuery() != null || uri.getRawFragment() != null) {
            throw bad(
                    uri,
                    "it has a query or fragment; give settings as options of the configuration instead, and " + ENCODE);
        }
        int port = uri.getPort() == -1 ? DEFAULT_PORT : uri.getPort();
        if (port < 1 || port > MAX_PORT) {
            throw bad(uri, "its port is not between 1 and " + MAX_PORT);
        }
        Optional<String> username = Optional.empty();
        Optional<String> password = Optional.empty();
        String userInfo = uri.getRawUserInfo();
        if (userInfo != null) {
            int colon = userInfo.indexOf(':');
            if (colon < 0) {
                throw bad(uri, "it has a user but no password; write redis://:password@host for a password alone");
            }
            username = Optional.of(decode(userInfo.substring(0, colon))).filter(user -> !user.isEmpty());
            password = Optional.of(decode(userInfo.substring(colon + 1)));
            if (password.get().isEmpty()) {
                throw bad(uri, "its password is empty");
            }
        }
        return new RedisEndpoint(
                "rediss".equalsIgnoreCase(scheme), uri.getHost(), port, database(uri), username, password);
    }

    /**
     * Returns the endpoint of another server that is reached in the same way.
     *
     * @param host its name or address; an IPv6 address with or without brackets
     * @param port its port
     * @return an endpoint with the TLS, database, user and password of this one
     */
    public RedisEndpoint at(String host, int port) {
        String written = host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host;
        return new RedisEndpoint(tls, written, port, database, username, password);
    }

    private static String quoted(URI uri) {
        boolean telling = uri.getScheme() != null && !uri.isOpaque();
        return telling ? "endpoint \"" + LockConfig.mask(uri) + "\"" : "an endpoint";
    }

    private static int database(URI uri) {
        String path = uri.getRawPath();
        if (path.isEmpty() || path.equals("/")) {
            return 0;
        }
        if (!path.matches("/\\d{1,6}")) {
            throw bad(
                    uri,
                    "after the host it may have a database number, as in redis://host/2, and nothing else; " + ENCODE);
        }
        return Integer.parseInt(path.substring(1));
    }

    private static String decode(String raw) {
        // URI decodes a whole path and, unlike URLDecoder, keeps plus signs.
        return URI.create("x:///" + raw).getPath().substring(1);
    }

    /** Quotes scheme, host and port only, and not even these if an at sign shows that they may be user and password. */
    private static IllegalArgumentException bad(URI uri, String why) {
        if (uri.getRawUserInfo() == null && uri.toString().contains("@")) {
            return new IllegalArgumentException("an endpoint cannot be used: " + why);
        }
        String port = uri.getPort() == -1 ? "" : ":" + uri.getPort();
        return new IllegalArgumentException(
                "endpoint \"" + uri.getScheme() + "://" + uri.getHost() + port + "\" cannot be used: " + why);
    }

    /**
     * Tells whether the connection is encrypted.
     *
     * @return {@code true} for {@code rediss://}
     */
    public boolean tls() {
        return tls;
    }

    /**
     * Returns the host.
     *
     * @return a name or address; an IPv6 address without its brackets
     */
    public String host() {
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    /**
     * Returns the port.
     *
     * @return the port
     */
    public int port() {
        return port;
    }

    /**
     * Returns the number of the database.
     *
     * @return the number of the database
     */
    public int database() {
        return database;
    }

    /**
     * Returns the name to log in with.
     *
     * @return the user, or empty for the server's default user
     */
    public Optional<String> username() {
        return username;
    }

    /**
     * Returns the password to log in with. The caller keeps it out of logs and messages.
     *
     * @return the password, or empty if none is needed
     */
    public Optional<String> password() {
        return password;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RedisEndpoint that
                && tls == that.tls
                && host.equals(that.host)
                && port == that.port
                && database == that.database
                && username.equals(that.username)
                && password.equals(that.password);
    }

    @Override
    public int hashCode() {
        return Objects.hash(tls, host, port, database, username);
    }

    /** Returns the URI without user and password. */
    @Override
    public String toString() {
        return (tls ? "rediss://" : "redis://") + (password.isPresent() ? "***@" : "") + host + ":" + port
                + (database == 0 ? "" : "/" + database);
    }
}
