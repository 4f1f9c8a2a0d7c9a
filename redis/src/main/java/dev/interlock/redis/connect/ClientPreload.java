// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.connect;

import dev.interlock.LockBackendException;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.LuaScript;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.client.Deadline;
import dev.interlock.redis.client.ServerConnector;
import dev.interlock.redis.endpoint.ConnectionSettings;
import dev.interlock.redis.endpoint.RedisEndpoint;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

/**
 * Loads the classes of a client library before the first lock needs them, which takes seconds where there is little
 * processor time.
 *
 * <p>When the first factory of a library is made, a node talks to a socket of this JVM that answers as a server would.
 * No Redis server is needed, so a factory can be made while none is running.
 */
final class ClientPreload {
    private static final System.Logger LOG = System.getLogger(ClientPreload.class.getName());
    private static final Environment ENV = Environment.system();

    /** A limit of its own: the connect time-out may be longer, since it is meant for a distant server. */
    private static final Duration LONGEST = Duration.ofSeconds(10);

    private static final Set<String> DONE = ConcurrentHashMap.newKeySet();
    private static final RedisCommand SCRIPT = RedisCommand.script(LuaScript.of("return 1"), List.of(), List.of());

    private ClientPreload() {}

    /** Loads a library unless it was loaded before. Never throws. */
    static void once(
            String library,
            Function<ConnectionSettings, ServerConnector> connectors,
            ConnectionSettings settings,
            boolean tls) {
        if (DONE.add(library)) {
            Duration timeout = settings.connectTimeout().compareTo(LONGEST) < 0 ? settings.connectTimeout() : LONGEST;
            // No certificates and no credentials: these are for the real server alone.
            ConnectionSettings plain =
                    ConnectionSettings.builder().connectTimeout(timeout).build();
            try (ServerConnector connector = connectors.apply(plain)) {
                speak(connector, timeout);
            } catch (IOException | RuntimeException e) {
                LOG.log(Level.DEBUG, "the classes of " + library + " are loaded when they are needed", e);
            }
        }
        if (tls && DONE.add("TLS")) {
            try {
                greet(settings);
            } catch (GeneralSecurityException | SSLException | RuntimeException e) {
                LOG.log(Level.DEBUG, "the classes for TLS are loaded when they are needed", e);
            }
        }
    }

    private static void speak(ServerConnector connector, Duration timeout) throws IOException {
        try (ServerSocket listener = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
            ENV.newThread("interlock-preload", () -> accept(listener, timeout)).start();
            String address = InetAddress.getLoopbackAddress().getHostAddress();
            String host = address.contains(":") ? "[" + address + "]" : address;
            RedisEndpoint endpoint = RedisEndpoint.parse("redis://" + host + ":" + listener.getLocalPort());
            CountDownLatch listening = new CountDownLatch(1);
            try (RedisNode node = connector.connect(endpoint)) {
                node.subscribe("interlock:warm-up", listening::countDown);
                Deadline deadline = new Deadline(ENV, timeout);
                node.callOrUndo(SCRIPT, () -> SCRIPT, timeout);
                node.callUrgently(RedisCommand.of("PING"), Duration.ofNanos(Math.max(1, deadline.nanosLeft())));
                listening.await(deadline.nanosLeft(), TimeUnit.NANOSECONDS);
            } catch (LockBackendException e) {
                LOG.log(Level.DEBUG, "a conversation with this JVM failed", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static void accept(ServerSocket listener, Duration timeout) {
        try {
            while (true) {
                Socket client = listener.accept();
                // A stranger that connects and sends nothing is dropped.
                client.setSoTimeout((int) Math.max(1, timeout.toMillis()));
                ENV.newThread("interlock-preload", () -> answer(client)).start();
            }
        } catch (IOException e) {
            // The conversation is over.
        }
    }

    /** Answers each command with a fitting reply. */
    private static void answer(Socket client) {
        try (client) {
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.US_ASCII));
            OutputStream out = client.getOutputStream();
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                int parts = Integer.parseInt(line.substring(1));
                String last = "";
                String name = "";
                for (int i = 0; i < parts; i++) {
                    in.readLine();
                    last = String.valueOf(in.readLine());
                    name = i == 0 ? last : name;
                }
                String reply = name.equals("SUBSCRIBE")
                        ? "*3\r\n$9\r\nsubscribe\r\n$" + last.length() + "\r\n" + last + "\r\n:1\r\n"
                        : "+PONG\r\n";
                out.write(reply.getBytes(StandardCharsets.US_ASCII));
            }
        } catch (IOException | RuntimeException e) {
            // The node notices that the connection has ended.
        }
    }

    /** Creates the first message of a TLS handshake. */
    private static void greet(ConnectionSettings settings) throws GeneralSecurityException, SSLException {
        SSLContext context =
                settings.sslContext().isPresent() ? settings.sslContext().get() : SSLContext.getDefault();
        SSLEngine engine = context.createSSLEngine("localhost", 1);
        engine.setUseClientMode(true);
        engine.beginHandshake();
        engine.wrap(
                ByteBuffer.allocate(0), ByteBuffer.allocate(engine.getSession().getPacketBufferSize()));
    }
}
