// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.lettuce;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.security.Provider;
import java.security.SecureRandom;
import java.util.Map;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLContextSpi;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/** A security provider that makes Netty use an existing TLS context: Netty accepts one in no other way. */
final class FixedContextProvider extends Provider {
    private static final long serialVersionUID = 1L;

    FixedContextProvider(SSLContext context) {
        super("interlock-tls", "1", "one TLS context that an application has made");
        putService(new Service(this, "SSLContext", "TLS", Fixed.class.getName(), null, Map.of()) {
            @Override
            public Object newInstance(@Nullable Object parameter) {
                return new Fixed(context);
            }
        });
    }

    private void writeObject(ObjectOutputStream out) throws IOException {
        throw new IOException("a TLS context cannot be serialized");
    }

    private static final class Fixed extends SSLContextSpi {
        private final SSLContext context;

        Fixed(SSLContext context) {
            this.context = context;
        }

        @Override
        protected void engineInit(
                KeyManager @Nullable [] keys, TrustManager @Nullable [] issuers, @Nullable SecureRandom random) {
            // The application has initialized the context.
        }

        @Override
        protected SSLSocketFactory engineGetSocketFactory() {
            return context.getSocketFactory();
        }

        @Override
        protected SSLServerSocketFactory engineGetServerSocketFactory() {
            return context.getServerSocketFactory();
        }

        @Override
        protected SSLEngine engineCreateSSLEngine() {
            return context.createSSLEngine();
        }

        @Override
        protected SSLEngine engineCreateSSLEngine(String host, int port) {
            return context.createSSLEngine(host, port);
        }

        @Override
        protected SSLSessionContext engineGetServerSessionContext() {
            return context.getServerSessionContext();
        }

        @Override
        protected SSLSessionContext engineGetClientSessionContext() {
            return context.getClientSessionContext();
        }
    }
}
