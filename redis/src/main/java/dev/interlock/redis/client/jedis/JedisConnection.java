// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.jedis;

import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.client.Deadline;
import dev.interlock.redis.client.Login;
import dev.interlock.redis.endpoint.ConnectionSettings;
import dev.interlock.redis.endpoint.RedisEndpoint;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.JedisSocketFactory;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.util.RedisOutputStream;

/**
 * A connection of our own, whose socket this class keeps under control.
 *
 * <p>Jedis sends nothing more on a connection whose reply was late, and closes its sockets so that undelivered bytes
 * are discarded. The undo of a late command needs the opposite of both.
 */
final class JedisConnection extends Connection {
    private final Dialer dialer;
    private boolean wasUsed;
    private long lastUsed;
    private volatile Optional<Login> login = Optional.empty();

    JedisConnection(RedisEndpoint endpoint, ConnectionSettings settings) {
        this(new Dialer(endpoint, settings));
    }

    private JedisConnection(Dialer dialer) {
        super(dialer);
        this.dialer = dialer;
    }

    /** Connects, without logging in. */
    void connect(Deadline deadline) {
        dialer.deadline = deadline;
        connect();
    }

    void loggedIn(Optional<Login> with) {
        login = with;
    }

    /** Returns whether its credentials expire soon. */
    boolean isExpiring(long nanoTime) {
        return login.filter(it -> it.isDue(nanoTime)).isPresent();
    }

    long lastUsed() {
        return lastUsed;
    }

    void setLastUsed(long nanoTime) {
        wasUsed = true;
        lastUsed = nanoTime;
    }

    /** Returns the idle time; zero if the connection has just been opened. */
    long silentNanos(long nanoTime) {
        return wasUsed ? nanoTime - lastUsed : 0;
    }

    /** Sends commands though Jedis considers the connection broken, and does not wait for their replies. */
    void sendNevertheless(List<RedisCommand> commands) {
        Socket socket = dialer.socket;
        if (socket != null) {
            try {
                RedisOutputStream out = new RedisOutputStream(socket.getOutputStream());
                for (RedisCommand command : commands) {
                    Protocol.sendCommand(out, JedisLine.arguments(command));
                }
                out.flush();
            } catch (IOException | JedisConnectionException e) {
                // The connection is really broken, and the commands with it.
            }
        }
    }

    /** The socket, once it is connected. */
    Socket socket() throws IOException {
        Socket socket = dialer.socket;
        if (socket == null) {
            throw new IOException("the connection was not opened");
        }
        return socket;
    }

    /** Returns the socket that carries the bytes: with TLS, the one below the encrypting socket. */
    Socket transport() throws IOException {
        Socket transport = dialer.transport;
        if (transport == null) {
            throw new IOException("the connection was not opened");
        }
        return transport;
    }

    /** Closes the socket, after which the system still delivers what was sent. */
    void closeSocket() {
        setBroken();
        dialer.close();
    }

    private static final class Dialer implements JedisSocketFactory {
        /**
         * The number of keep-alive probes that may go unanswered, over the same time as the idle time before the first.
         */
        private static final int PROBES = 3;

        private static final Duration NO_BOUND = Duration.ofDays(1);

        private final RedisEndpoint endpoint;
        private final ConnectionSettings settings;
        private @Nullable Deadline deadline;
        private volatile @Nullable Socket socket;
        private volatile @Nullable Socket transport;

        Dialer(RedisEndpoint endpoint, ConnectionSettings settings) {
            this.endpoint = endpoint;
            this.settings = settings;
        }

        @Override
        public Socket createSocket() {
            Deadline until = deadline;
            if (until == null) {
                throw new IllegalStateException("the connection was not opened");
            }
            try {
                Socket connected = connect(until);
                socket = connected;
                return connected;
            } catch (IOException e) {
                close();
                throw new JedisConnectionException(e);
            }
        }

        private Socket connect(Deadline until) throws IOException {
            InetAddress[] addresses = InetAddress.getAllByName(endpoint.host());
            IOException last = null;
            for (int i = 0; i < addresses.length; i++) {
                Socket plain = new Socket();
                socket = plain;
                transport = plain;
                try {
                    plain.setTcpNoDelay(true);
                    keepAlive(plain);
                    // An address that does not answer must leave time for those behind it.
                    Deadline part = until.sooner(NO_BOUND, addresses.length - i);
                    plain.connect(new InetSocketAddress(addresses[i], endpoint.port()), part.millisLeft());
                    plain.setSoTimeout(until.millisLeft());
                    return endpoint.tls() ? encrypt(plain) : plain;
                } catch (IOException e) {
                    close();
                    last = e;
                }
            }
            throw last == null ? new IOException("the host has no address") : last;
        }

        private void keepAlive(Socket plain) throws IOException {
            plain.setKeepAlive(true);
            if (plain.supportedOptions().contains(ExtendedSocketOptions.TCP_KEEPIDLE)) {
                int seconds = (int) settings.keepAlive().toSeconds();
                plain.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, seconds);
                plain.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, Math.max(1, seconds / PROBES));
                plain.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, PROBES);
            }
        }

        private Socket encrypt(Socket plain) throws IOException {
            SSLSocketFactory factory = settings.sslContext()
                    .map(SSLContext::getSocketFactory)
                    .orElseGet(() -> (SSLSocketFactory) SSLSocketFactory.getDefault());
            SSLSocket encrypted = (SSLSocket) factory.createSocket(plain, endpoint.host(), endpoint.port(), true);
            SSLParameters parameters = encrypted.getSSLParameters();
            // Without this, any certificate of a trusted issuer would do.
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            encrypted.setSSLParameters(parameters);
            encrypted.startHandshake();
            return encrypted;
        }

        void close() {
            Socket current = socket;
            if (current != null) {
                try {
                    current.close();
                } catch (IOException e) {
                    // Nothing more can be done about a socket that cannot be closed.
                }
            }
        }
    }
}
