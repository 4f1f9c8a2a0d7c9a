// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot.internal;

import java.net.URI;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * How a factory reaches its servers.
 *
 * @param endpoints the servers; empty if a client knows them
 * @param sslContext the certificates, or null for the JVM's own, or none
 * @param client a client that the application has, or null for connections of the factory's own
 */
public record ServerConnection(
        List<URI> endpoints,
        @Nullable SSLContext sslContext,
        @Nullable Object client) {}
