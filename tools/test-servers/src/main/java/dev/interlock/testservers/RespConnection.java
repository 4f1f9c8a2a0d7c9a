// SPDX-License-Identifier: Apache-2.0
package dev.interlock.testservers;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A connection that speaks just enough of the Redis protocol, version 2. Not safe for use by several threads at once.
 */
public final class RespConnection implements Closeable {
    private final Socket socket = new Socket();
    private final InputStream in;

    /**
     * Connects to a server.
     *
     * @param host the server's name or address
     * @param port its port
     * @param timeoutMillis how long to wait for the connection, and later for each reply
     * @throws IOException if it cannot be reached
     */
    public RespConnection(String host, int port, int timeoutMillis) throws IOException {
        this(new InetSocketAddress(host, port), timeoutMillis);
    }

    RespConnection(int port, int timeoutMillis) throws IOException {
        this(new InetSocketAddress(Ports.LOOPBACK, port), timeoutMillis);
    }

    private RespConnection(InetSocketAddress address, int timeoutMillis) throws IOException {
        try {
            socket.connect(address, timeoutMillis);
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(timeoutMillis);
            in = new BufferedInputStream(socket.getInputStream());
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** The address by which the server knows this connection. */
    String address() {
        return socket.getLocalAddress().getHostAddress() + ":" + socket.getLocalPort();
    }

    /**
     * Sets how long to wait for each reply from now on.
     *
     * @param millis the time in milliseconds, or 0 to wait for ever
     * @throws IOException if the connection is closed
     */
    public void timeout(int millis) throws IOException {
        socket.setSoTimeout(millis);
    }

    /**
     * Sends a command and waits for its reply.
     *
     * @param args its name and arguments
     * @return its reply: {@code null}, a {@link Long}, a {@link String}, a {@link List} of these, or an error as a
     *     {@link RedisServerException}, which is returned, not thrown
     * @throws IOException if the connection ends or there is no reply in time
     */
    public @Nullable Object call(String... args) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(utf8("*" + args.length + "\r\n"));
        for (String arg : args) {
            byte[] bytes = utf8(arg);
            out.writeBytes(utf8("$" + bytes.length + "\r\n"));
            out.writeBytes(bytes);
            out.writeBytes(utf8("\r\n"));
        }
        socket.getOutputStream().write(out.toByteArray());
        return read();
    }

    /**
     * Waits for one more reply, such as a message.
     *
     * @return the reply, as {@link #call} returns it
     * @throws IOException if the connection ends or there is no reply in time
     */
    public @Nullable Object read() throws IOException {
        String line = readLine();
        String rest = line.substring(1);
        switch (line.charAt(0)) {
            case '+':
                return rest;
            case '-':
                return new RedisServerException(rest);
            case ':':
                return Long.valueOf(rest);
            case '$':
                return readBulk(Integer.parseInt(rest));
            case '*':
                return readArray(Integer.parseInt(rest));
            default:
                throw new IOException("no reply of the Redis protocol begins with " + line.charAt(0));
        }
    }

    private @Nullable String readBulk(int length) throws IOException {
        if (length < 0) {
            return null;
        }
        byte[] bytes = in.readNBytes(length + 2);
        if (bytes.length < length + 2) {
            throw new EOFException("the server closed the connection");
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    private @Nullable List<@Nullable Object> readArray(int length) throws IOException {
        if (length < 0) {
            return null;
        }
        List<@Nullable Object> list = new ArrayList<>(length);
        for (int i = 0; i < length; i++) {
            list.add(read());
        }
        return list;
    }

    private String readLine() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b != '\r'; b = in.read()) {
            if (b < 0) {
                throw new EOFException("the server closed the connection");
            }
            line.write(b);
        }
        in.read();
        return line.toString(StandardCharsets.UTF_8);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
