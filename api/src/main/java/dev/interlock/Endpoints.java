// SPDX-License-Identifier: Apache-2.0
package dev.interlock;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Reads endpoints from text, and writes them without their passwords. Strategies define the schemes. */
final class Endpoints {
    private static final String HIDDEN = "***";
    private static final String BLANK =
            "an endpoint is blank: write scheme://host:port, such as redis://localhost:6379, several separated by commas";
    private static final String ENCODE =
            "percent-encode characters of user and password that have a meaning in a URI, such as @ : / ? # and %";

    private static final String SCHEME = "[A-Za-z][A-Za-z0-9+.-]*://";

    /** A comma between two endpoints, which a scheme follows. Other commas separate the hosts of one endpoint. */
    private static final Pattern SEPARATOR = Pattern.compile(",(?=\\s*" + SCHEME + ")");

    private static final Pattern ABSOLUTE = Pattern.compile(SCHEME + ".*", Pattern.DOTALL);

    private static final String HOST = "(?:[A-Za-z0-9._~-]+|\\[[0-9A-Za-z:.%]+])(?::\\d*)?";
    private static final Pattern HOSTS = Pattern.compile(HOST + "(?:," + HOST + ")*");

    private Endpoints() {}

    static List<URI> parseList(String endpoints) {
        List<URI> parsed = new ArrayList<>();
        for (String endpoint : SEPARATOR.split(endpoints, -1)) {
            parsed.add(parse(endpoint));
        }
        return parsed;
    }

    static URI parse(String endpoint) {
        String text = endpoint.strip();
        if (text.isEmpty() || text.startsWith(",") || text.endsWith(",")) {
            throw new IllegalArgumentException(BLANK);
        }
        try {
            return requireScheme(new URI(text));
        } catch (URISyntaxException e) {
            // The exception quotes its input, password included, so it is not passed on as a cause.
            throw new IllegalArgumentException("an endpoint is no URI (" + e.getReason()
                    + "): write scheme://host:port, such as redis://localhost:6379, and " + ENCODE);
        }
    }

    /**
     * Fails unless a URI begins with {@code scheme://}; the message does not quote it, since any part may be a
     * password.
     */
    static URI requireScheme(URI endpoint) {
        if (!ABSOLUTE.matcher(endpoint.toString()).matches()) {
            throw new IllegalArgumentException(
                    "an endpoint does not begin with a scheme: write scheme://host:port, such as redis://localhost:6379, and "
                            + ENCODE);
        }
        return endpoint;
    }

    /**
     * Returns an endpoint for messages. If an unencoded character splits a password, a part of it may be outside of the
     * user information; then only the scheme is shown.
     */
    static String mask(URI endpoint) {
        String authority = endpoint.getRawAuthority() == null ? "" : endpoint.getRawAuthority();
        String hosts = authority.substring(authority.lastIndexOf('@') + 1);
        String path = endpoint.getRawPath() == null ? "" : endpoint.getRawPath();
        String query = endpoint.getRawQuery() == null ? "" : "?" + endpoint.getRawQuery();
        String fragment = endpoint.getRawFragment() == null ? "" : "#" + endpoint.getRawFragment();
        String start = endpoint.getScheme() == null ? "" : endpoint.getScheme() + "://";
        boolean cutInTwo = (path + query + fragment).contains("@");
        if (endpoint.isOpaque()
                || cutInTwo
                || !(hosts.isEmpty() || HOSTS.matcher(hosts).matches())) {
            return start + HIDDEN;
        }
        String login = hosts.equals(authority) ? "" : HIDDEN + "@";
        return start + login + hosts + path + (query.isEmpty() ? "" : "?" + HIDDEN) + fragment;
    }
}
