// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.jedis;

import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.client.Deadline;
import dev.interlock.redis.endpoint.RedisEndpoint;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.JedisSocketFactory;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.util.RedisOutputStream;

/**
 * A connection of our own, whose socket stays in our hands.
 *
 * <p>Jedis refuses to send anything more on a connection whose reply was late, and closes its sockets in the way that throws
 * away what was not delivered yet. To undo a late command, both must be otherwise.
 */
final class JedisConnection extends Connection {
    private final Dialer dialer;
    private boolean wasUsed;
    private long lastUsed;

    JedisConnection(RedisEndpoint endpoint) {
        this(new Dialer(endpoint));
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

    long lastUsed() {
        return lastUsed;
    }

    void setLastUsed(long nanoTime) {
        wasUsed = true;
        lastUsed = nanoTime;
    }

    /** For how long it has not been used; zero if it has just been opened. */
    long silentNanos(long nanoTime) {
        return wasUsed ? nanoTime - lastUsed : 0;
    }

    /** Sends a command though Jedis considers the connection broken, and does not wait for its reply. */
    void sendNevertheless(RedisCommand command) {
        Socket socket = dialer.socket;
        if (socket != null) {
            try {
                RedisOutputStream out = new RedisOutputStream(socket.getOutputStream());
                Protocol.sendCommand(out, JedisLine.arguments(command));
                out.flush();
            } catch (IOException | JedisConnectionException e) {
                // The connection is really broken, and the command with it.
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

    /** Closes the socket, after which the system still delivers what was sent. */
    void closeSocket() {
        setBroken();
        dialer.close();
    }

    private static final class Dialer implements JedisSocketFactory {
        private final RedisEndpoint endpoint;
        private @Nullable Deadline deadline;
        private volatile @Nullable Socket socket;

        Dialer(RedisEndpoint endpoint) {
            this.endpoint = endpoint;
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
            IOException last = null;
            for (InetAddress address : InetAddress.getAllByName(endpoint.host())) {
                Socket plain = new Socket();
                socket = plain;
                try {
                    plain.setTcpNoDelay(true);
                    plain.setKeepAlive(true);
                    plain.connect(new InetSocketAddress(address, endpoint.port()), until.millisLeft());
                    plain.setSoTimeout(until.millisLeft());
                    return endpoint.tls() ? encrypt(plain) : plain;
                } catch (IOException e) {
                    close();
                    last = e;
                }
            }
            throw last == null ? new IOException("the host has no address") : last;
        }

        private Socket encrypt(Socket plain) throws IOException {
            SSLSocketFactory factory = (SSLSocketFactory) SSLSocketFactory.getDefault();
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
                    // A socket that does not even close is of no more use to the other side either.
                }
            }
        }
    }
}
