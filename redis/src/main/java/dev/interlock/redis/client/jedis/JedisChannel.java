// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.jedis;

import dev.interlock.redis.client.Deadline;
import dev.interlock.redis.client.Login;
import dev.interlock.redis.client.ServerError;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.util.RedisInputStream;

/**
 * A connection of our own whose two directions are separate: one thread may write while another one reads. Jedis parses
 * the replies.
 *
 * <p>Jedis treats a connection as broken after any read time-out. Here a wait between two replies may time out and be
 * resumed by another thread; a wait within a reply may not.
 */
public final class JedisChannel {
    /** Large enough for all unanswered bytes, so that no write waits for the network. */
    private static final int SEND_BUFFER = 256 * 1024;

    /** The replies, with those that are already in the buffer. */
    private static final class Replies extends RedisInputStream {
        Replies(InputStream socket) {
            super(socket);
        }

        /** Returns whether the next byte is here, without asking the system. */
        boolean hasBuffered() {
            return count < limit;
        }
    }

    private final JedisConnection connection;
    private final Socket socket;
    private final InputStream arriving;
    private final OutputStream out;
    private final Replies in;
    private int limitMillis;

    JedisChannel(JedisConnection connection) throws IOException {
        this.connection = connection;
        this.socket = connection.socket();
        socket.setSendBufferSize(SEND_BUFFER);
        this.arriving = connection.transport().getInputStream();
        this.out = socket.getOutputStream();
        this.in = new Replies(socket.getInputStream());
    }

    /**
     * Writes commands.
     *
     * @throws IOException if they have not all left; in particular, the last one has not left in full
     */
    public void write(byte[] bytes, int length) throws IOException {
        out.write(bytes, 0, length);
        out.flush();
    }

    /** Returns whether its credentials expire soon. */
    public boolean isExpiring(long nanoTime) {
        return connection.isExpiring(nanoTime);
    }

    /**
     * Returns whether something was read from the socket that is no part of a reply so far, which costs nothing to find
     * out.
     */
    public boolean hasBuffered() {
        return in.hasBuffered();
    }

    /** Returns whether something has come that was not read yet, perhaps a part of a reply. */
    public boolean hasUnread() throws IOException {
        return in.hasBuffered() || in.available() > 0;
    }

    /**
     * As {@link #hasUnread}, and sees what TLS has not decrypted yet: perhaps a reply, perhaps only something between
     * the two sides of the encryption.
     */
    public boolean hasArrived() throws IOException {
        return hasUnread() || arriving.available() > 0;
    }

    /**
     * Waits until a reply begins.
     *
     * @return {@code false} if none has begun in time
     * @throws IOException if the connection has ended
     */
    public boolean awaitReply(Deadline deadline) throws IOException {
        if (in.hasBuffered()) {
            return true;
        }
        try {
            limit(deadline);
            // Waits until there is something to read, without reading it.
            in.peek((byte) 0);
            return true;
        } catch (JedisConnectionException e) {
            if (JedisLine.isTimeout(e)) {
                return false;
            }
            throw new IOException(e.getMessage(), e);
        }
    }

    /**
     * Reads the reply that has begun.
     *
     * @return {@code null}, {@link Long}, {@link String}, {@link java.util.List} of these, or {@link ServerError}
     * @throws IOException if it does not come in full, each part in time, or is none; the connection is of no more use
     *     then
     */
    @SuppressWarnings("deprecation")
    public @Nullable Object read(Deadline deadline) throws IOException {
        try {
            limit(deadline);
            // Interlock uses RESP2, with which a server pushes nothing; some versions of Jedis would take a push for
            // the reply.
            if (in.peek(Protocol.GREATER_THAN_BYTE)) {
                throw new IOException("the server sent a message that nobody asked for");
            }
            // Deprecated by Jedis 8, and the only form that Jedis 7 has as well.
            return JedisLine.decode(Protocol.read(in));
        } catch (JedisDataException e) {
            return new ServerError(String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            // After any malformed reply, the start of the next one is unknown.
            throw new IOException(e.getMessage(), e);
        }
    }

    /** Sets how long a read may block. Usually the time is that of the last read, and nothing needs to be done. */
    private void limit(Deadline deadline) throws IOException {
        int millis = deadline.millisLeft();
        if (millis != limitMillis) {
            socket.setSoTimeout(millis);
            limitMillis = millis;
        }
    }

    /** Notes the credentials of the last login. */
    public void loggedIn(Optional<Login> login) {
        connection.loggedIn(login);
    }

    /** Closes the socket, and has the system throw away what it has not delivered yet. */
    public void abort() {
        try {
            socket.setSoLinger(true, 0);
        } catch (IOException e) {
            // The socket is closed already.
        }
        close();
    }

    /** Closes the socket, after which the system still delivers what was sent. */
    public void close() {
        connection.closeSocket();
    }
}
