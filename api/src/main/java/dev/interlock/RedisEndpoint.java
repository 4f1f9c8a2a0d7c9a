// SPDX-License-Identifier: Apache-2.0
package dev.interlock;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Objects;
import java.util.Optional;

/**
 * Where a Redis server listens and how to log in to it.
 *
 * <p>Written as {@code redis://[[user]:password@]host[:port][/database]}, or {@code rediss://…} for TLS with verification of
 * the certificate and the host name against the JVM's trust store. The port defaults to 6379 and the database to 0.
 * Characters of user and password that have a meaning in a URI are percent-encoded.
 *
 * <p>Instances are immutable and safe to use from any thread. Neither {@link #toString} nor the message of an exception
 * shows the password.
 */
public final class RedisEndpoint {
    private static final int DEFAULT_PORT = 6379;
    private static final int MAX_PORT = 65_535;

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
     * Reads an endpoint.
     *
     * @param uri the endpoint as a URI
     * @return the endpoint
     * @throws IllegalArgumentException if it is no such URI; the message says what is wrong
     */
    public static RedisEndpoint parse(String uri) {
        String text = uri.strip();
        URI parsed;
        try {
            parsed = new URI(text);
        } catch (URISyntaxException e) {
            // The exception quotes its input, password included, so it is not passed on as a cause.
            throw bad(
                    text,
                    "it is no URI (" + e.getReason() + "); percent-encode special characters in user and password");
        }
        String scheme = parsed.getScheme();
        if (!"redis".equalsIgnoreCase(scheme) && !"rediss".equalsIgnoreCase(scheme)) {
            throw bad(text, "it must begin with redis:// or rediss://");
        }
        if (parsed.getHost() == null) {
            throw bad(text, "it names no host");
        }
        if (parsed.getRawQuery() != null || parsed.getRawFragment() != null) {
            throw bad(text, "it has a query or fragment; give settings as options of the configuration instead");
        }
        int port = parsed.getPort() == -1 ? DEFAULT_PORT : parsed.getPort();
        if (port < 1 || port > MAX_PORT) {
            throw bad(text, "its port is not between 1 and " + MAX_PORT);
        }
        Optional<String> username = Optional.empty();
        Optional<String> password = Optional.empty();
        String userInfo = parsed.getRawUserInfo();
        if (userInfo != null) {
            int colon = userInfo.indexOf(':');
            if (colon < 0) {
                throw bad(text, "it has a user but no password; write redis://:password@host for a password alone");
            }
            username = Optional.of(decode(userInfo.substring(0, colon))).filter(user -> !user.isEmpty());
            password = Optional.of(decode(userInfo.substring(colon + 1)));
            if (password.get().isEmpty()) {
                throw bad(text, "its password is empty");
            }
        }
        return new RedisEndpoint(
                "rediss".equalsIgnoreCase(scheme), parsed.getHost(), port, database(text, parsed), username, password);
    }

    private static int database(String text, URI uri) {
        String path = uri.getRawPath();
        if (path.isEmpty() || path.equals("/")) {
            return 0;
        }
        if (!path.matches("/\\d{1,6}")) {
            throw bad(text, "after the host it may have a database number, as in redis://host/2, and nothing else");
        }
        return Integer.parseInt(path.substring(1));
    }

    private static String decode(String raw) {
        // URI decodes a whole path, and unlike URLDecoder leaves a plus sign alone.
        return URI.create("x:///" + raw.replace("/", "%2F")).getPath().substring(1);
    }

    private static IllegalArgumentException bad(String text, String why) {
        return new IllegalArgumentException("endpoint \"" + withoutUserInfo(text) + "\" cannot be used: " + why);
    }

    /** Hides all between the scheme and the last at sign, wherever a password may stand in a malformed text. */
    private static String withoutUserInfo(String text) {
        int at = text.lastIndexOf('@');
        int scheme = text.indexOf("://");
        return at < 0 ? text : (scheme < 0 ? "" : text.substring(0, scheme + 3)) + "***" + text.substring(at);
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
