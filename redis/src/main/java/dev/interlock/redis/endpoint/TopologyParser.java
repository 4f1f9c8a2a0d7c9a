// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.endpoint;

import dev.interlock.LockConfig;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads a {@link RedisTopology} from the endpoints of a configuration. */
final class TopologyParser {
    private static final String SENTINEL = "-sentinel";
    private static final String CLUSTER = "-cluster";
    private static final String SENTINEL_PORT = "26379";
    private static final String CLUSTER_PORT = "6379";
    private static final String USERNAME = "sentinelUsername";
    private static final String PASSWORD = "sentinelPassword";
    private static final String SENTINEL_FORM = "redis-sentinel://host1:26379,host2:26379/0#name-of-the-primary";
    private static final String CLUSTER_FORM = "redis-cluster://host1:6379,host2:6379";
    private static final String FORMS = "write redis://host:6379, " + SENTINEL_FORM + " or " + CLUSTER_FORM;

    private static final Pattern HOST = Pattern.compile("(?:[A-Za-z0-9.-]+|\\[[0-9A-Za-z:.%]+])(:\\d{1,5})?");
    private static final Pattern MASTER_NAME = Pattern.compile("[A-Za-z0-9._-]+");
    private static final Pattern DATABASE = Pattern.compile("/?|/\\d{1,6}");

    private TopologyParser() {}

    static RedisTopology parse(List<URI> endpoints) {
        if (endpoints.isEmpty()) {
            throw new IllegalArgumentException("the configuration names no endpoint: " + FORMS);
        }
        List<String> schemes = endpoints.stream().map(TopologyParser::scheme).toList();
        String kind = kind(schemes.get(0));
        if (schemes.stream().anyMatch(scheme -> !kind(scheme).equals(kind))) {
            throw new IllegalArgumentException(
                    "the endpoints begin with different schemes, " + String.join(", ", schemes) + ": " + FORMS);
        }
        if (kind.isEmpty()) {
            return ofServers(
                    endpoints.stream().map(RedisEndpoint::of).distinct().toList());
        }
        URI endpoint = sameButForHosts(endpoints);
        requireDatabase(endpoint);
        return kind.equals(SENTINEL)
                ? sentinel(endpoint, hosts(endpoints, SENTINEL_PORT))
                : cluster(endpoint, hosts(endpoints, CLUSTER_PORT));
    }

    private static String scheme(URI endpoint) {
        return String.valueOf(endpoint.getScheme()).toLowerCase(Locale.ROOT);
    }

    private static String kind(String scheme) {
        return scheme.matches("rediss?" + SENTINEL) ? SENTINEL : scheme.matches("rediss?" + CLUSTER) ? CLUSTER : "";
    }

    private static RedisTopology ofServers(List<RedisEndpoint> servers) {
        if (servers.size() == 1) {
            return new RedisTopology.Standalone(servers.get(0));
        }
        if (servers.stream().map(RedisEndpoint::database).distinct().count() > 1) {
            throw new IllegalArgumentException("the endpoints " + servers
                    + " name different databases: a primary and its replicas have their locks" + " in the same one");
        }
        return new RedisTopology.Replicated(servers);
    }

    private static RedisTopology sentinel(URI endpoint, List<String> hosts) {
        String master = endpoint.getFragment();
        if (master == null || !MASTER_NAME.matcher(master).matches()) {
            throw bad(
                    endpoint,
                    "it does not end with # and the name under which the sentinels know the primary: write "
                            + SENTINEL_FORM);
        }
        Map<String, String> settings = settings(endpoint);
        String scheme = scheme(endpoint).replace(SENTINEL, "");
        List<RedisEndpoint> sentinels = hosts.stream()
                .map(host -> RedisEndpoint.of(URI.create(scheme + "://" + sentinelLogin(settings) + host)))
                .toList();
        return new RedisTopology.Sentinel(sentinels, master, server(endpoint, scheme, hosts.get(0)));
    }

    private static RedisTopology cluster(URI endpoint, List<String> hosts) {
        if (endpoint.getRawQuery() != null || endpoint.getRawFragment() != null) {
            throw bad(endpoint, "it has a query or fragment: write " + CLUSTER_FORM);
        }
        String scheme = scheme(endpoint).replace(CLUSTER, "");
        List<RedisEndpoint> seeds =
                hosts.stream().map(host -> server(endpoint, scheme, host)).toList();
        if (seeds.get(0).database() != 0) {
            throw bad(endpoint, "a cluster has only database 0: omit the number");
        }
        return new RedisTopology.Cluster(seeds);
    }

    /** Returns the endpoint of one data server, with user and password. */
    private static RedisEndpoint server(URI endpoint, String scheme, String host) {
        String login = login(endpoint);
        return RedisEndpoint.of(
                URI.create(scheme + "://" + (login.isEmpty() ? "" : login + "@") + host + endpoint.getRawPath()));
    }

    /**
     * Must run first: if a character of a password should have been encoded, the rest of the password is read as the
     * path and its start as a host.
     */
    private static void requireDatabase(URI endpoint) {
        if (endpoint.getRawAuthority() == null) {
            throw new IllegalArgumentException("an endpoint names no host: " + FORMS);
        }
        if (!DATABASE.matcher(endpoint.getRawPath()).matches()) {
            throw bad(endpoint, "behind the hosts it may have a database number, as in /2, and nothing else");
        }
    }

    private static Map<String, String> settings(URI endpoint) {
        Map<String, String> settings = new LinkedHashMap<>();
        if (endpoint.getRawQuery() == null) {
            return settings;
        }
        for (String setting : endpoint.getRawQuery().split("&", -1)) {
            int equals = setting.indexOf('=');
            String name = setting.substring(0, Math.max(0, equals));
            // The name may be a part of a password.
            if (!(name.equals(USERNAME) || name.equals(PASSWORD)) || equals == setting.length() - 1) {
                throw bad(
                        endpoint,
                        "behind ? it may have " + PASSWORD + "=… and " + USERNAME
                                + "=…, separated by &, with special characters percent-encoded, and nothing else");
            }
            settings.put(name, setting.substring(equals + 1));
        }
        if (!settings.containsKey(PASSWORD) && !settings.isEmpty()) {
            throw bad(endpoint, "it has " + USERNAME + " and no " + PASSWORD + ": add it");
        }
        return settings;
    }

    /** User and password for the sentinels, still encoded. */
    private static String sentinelLogin(Map<String, String> settings) {
        if (settings.isEmpty()) {
            return "";
        }
        // Characters that are allowed in a query and not in user information.
        return (settings.getOrDefault(USERNAME, "").replace(":", "%3A") + ":" + settings.get(PASSWORD))
                        .replace("@", "%40")
                        .replace("/", "%2F")
                        .replace("?", "%3F")
                        .replace("[", "%5B")
                        .replace("]", "%5D")
                + "@";
    }

    private static List<String> hosts(List<URI> endpoints, String defaultPort) {
        List<String> hosts = new ArrayList<>();
        for (URI endpoint : endpoints) {
            String authority = String.valueOf(endpoint.getRawAuthority());
            for (String host :
                    authority.substring(authority.lastIndexOf('@') + 1).split(",", -1)) {
                Matcher matcher = HOST.matcher(host);
                if (!matcher.matches()) {
                    throw bad(
                            endpoint,
                            "one of its hosts is none: write host1:" + defaultPort + ",host2:" + defaultPort
                                    + " with letters, digits, dots and hyphens in a host");
                }
                hosts.add(matcher.group(1) == null ? host + ":" + defaultPort : host);
            }
        }
        return hosts.stream().distinct().toList();
    }

    private static String login(URI endpoint) {
        String authority = String.valueOf(endpoint.getRawAuthority());
        String login = authority.substring(0, Math.max(0, authority.lastIndexOf('@')));
        if (login.contains("@")) {
            throw bad(endpoint, "there is more than one @ before its hosts: write %40 in user and password");
        }
        return login;
    }

    private static URI sameButForHosts(List<URI> endpoints) {
        if (endpoints.size() > 1
                && endpoints.stream()
                                .map(TopologyParser::withoutHosts)
                                .distinct()
                                .count()
                        > 1) {
            throw new IllegalArgumentException(
                    "the endpoints differ in more than the host: write all hosts into one, as in "
                            + (kind(scheme(endpoints.get(0))).equals(SENTINEL) ? SENTINEL_FORM : CLUSTER_FORM)
                            + ", or the same scheme, user, password and everything behind the host in each");
        }
        return endpoints.get(0);
    }

    private static List<String> withoutHosts(URI endpoint) {
        return List.of(
                scheme(endpoint),
                login(endpoint),
                String.valueOf(endpoint.getRawPath()),
                String.valueOf(endpoint.getRawQuery()),
                String.valueOf(endpoint.getRawFragment()));
    }

    private static IllegalArgumentException bad(URI endpoint, String why) {
        return new IllegalArgumentException("endpoint \"" + LockConfig.mask(endpoint) + "\" cannot be used: " + why);
    }
}
