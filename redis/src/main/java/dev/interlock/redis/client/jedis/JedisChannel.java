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
 * The two directions of a connection of our own: one thread may write while another one reads. Jedis reads the replies.
 *
 * <p>Jedis' own connection counts as broken once a reply was waited for in vain. Here a wait between two replies may time out and
 * be taken up again by another thread; one in the middle of a reply may not.
 */
public final class JedisChannel {
    /** Enough for what may be sent without an answer, so that no write has to wait for the network. */
    private static final int SEND_BUFFER = 256 * 1024;

    /** Replies, some of which have been read from the socket already. */
    private static final class Replies extends RedisInputStream {
        Replies(InputStream socket) {
            super(socket);
        }

        /** Whether the next byte is here, without asking the system. */
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

    /** Whether what it was logged in with expires soon. */
    public boolean isExpiring(long nanoTime) {
        return connection.isExpiring(nanoTime);
    }

    /** Whether something was read from the socket that is no part of a reply so far, which costs nothing to find out. */
    public boolean hasBuffered() {
        return in.hasBuffered();
    }

    /** Whether something has come that was not read yet, perhaps a part of a reply. */
    public boolean hasUnread() throws IOException {
        return in.hasBuffered() || in.available() > 0;
    }

    /**
     * As {@link #hasUnread}, and sees what TLS has not decrypted yet: perhaps a reply, perhaps only something between the two sides of
     * the encryption.
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
            // Reads nothing, but waits until there is something to be read.
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
     * @throws IOException if it does not come in full, each part in time, or is none; the connection is of no more use then
     */
    @SuppressWarnings("deprecation")
    public @Nullable Object read(Deadline deadline) throws IOException {
        try {
            limit(deadline);
            // With RESP2, to which we keep, a server pushes nothing; some versions of Jedis would take it for the
            // reply.
            if (in.peek(Protocol.GREATER_THAN_BYTE)) {
                throw new IOException("the server sent a message that nobody asked for");
            }
            // Deprecated by Jedis 8, and the only form that Jedis 7 has as well.
            return JedisLine.decode(Protocol.read(in));
        } catch (JedisDataException e) {
            return new ServerError(String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            // Whatever is wrong with the bytes: where the next reply begins is not known any more.
            throw new IOException(e.getMessage(), e);
        }
    }

    /** Sets for how long a read may block: usually as long as the last one, which costs nothing. */
    private void limit(Deadline deadline) throws IOException {
        int millis = deadline.millisLeft();
        if (millis != limitMillis) {
            socket.setSoTimeout(millis);
            limitMillis = millis;
        }
    }

    /** Notes with what it was logged in again. */
    public void loggedIn(Optional<Login> login) {
        connection.loggedIn(login);
    }

    /** Closes the socket, and has the system throw away what it has not delivered yet. */
    public void abort() {
        try {
            socket.setSoLinger(true, 0);
        } catch (IOException e) {
            // It is closed already.
        }
        close();
    }

    /** Closes the socket, after which the system still delivers what was sent. */
    public void close() {
        connection.closeSocket();
    }
}
