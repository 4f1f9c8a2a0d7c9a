// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.redis;

import dev.interlock.conformance.harness.Fault;
import dev.interlock.testservers.FaultProxy;
import java.security.SecureRandom;
import java.util.concurrent.CompletableFuture;

/** A server that the harness owns, behind a proxy. Both can be made to fail. */
final class OwnNode implements Node {
    private static final SecureRandom RANDOM = new SecureRandom();

    private final OwnServer server;
    private final FaultProxy proxy;
    private State state = State.RUNNING;
    private CompletableFuture<Void> lostReply = new CompletableFuture<>();

    OwnNode(OwnServer server) {
        this(server, FaultProxy.to(server.host(), server.port()));
    }

    OwnNode(OwnServer server, FaultProxy proxy) {
        this.server = server;
        this.proxy = proxy;
    }

    private enum State {
        RUNNING,
        PAUSED,
        STOPPED,
        KILLED
    }

    @Override
    public String uri() {
        return withPassword(proxy.uri());
    }

    /**
     * Adds a password to a URI. The server's default user has no password, and so accepts any. The rules that look for
     * leaked passwords need one.
     */
    static String withPassword(String uri) {
        String password = "kit" + Long.toString(RANDOM.nextLong() >>> 1, Character.MAX_RADIX);
        return uri.replace("://", "://default:" + password + "@");
    }

    @Override
    public void inject(Fault fault) {
        switch (fault) {
            case PAUSE -> {
                server.pause();
                state = State.PAUSED;
                // Whoever continues the process group of this JVM, as a shell does for a job, resumes the server too.
                proxy.blackholeReplies();
            }
            case STOP -> stop();
            case KILL -> kill();
            case RESTART_WITH_DATA -> {
                stop();
                heal();
            }
            case RESTART_WITHOUT_DATA -> {
                kill();
                heal();
            }
            case FLUSH -> server.command("FLUSHALL");
            case FORGET_PREPARED -> server.command("SCRIPT", "FLUSH");
            case CUT_NOTIFICATIONS -> server.command("CLIENT", "KILL", "TYPE", "pubsub");
            case LOSE_NEXT_REPLY -> lostReply = proxy.loseNextReply();
            default -> ForeignNode.inject(fault, proxy);
        }
    }

    @Override
    public boolean hasLostReply() {
        return lostReply.isDone();
    }

    private void stop() {
        server.stop();
        state = State.STOPPED;
        proxy.refuse();
    }

    private void kill() {
        server.kill();
        state = State.KILLED;
        proxy.refuse();
    }

    @Override
    public void heal() {
        switch (state) {
            case RUNNING -> {}
            case PAUSED -> server.resume();
            case STOPPED -> server.startWithData();
            case KILLED -> server.startWithoutData();
        }
        state = State.RUNNING;
        server.command("PING");
        proxy.redirect(server.host(), server.port());
        ForeignNode.heal(proxy);
    }

    @Override
    public void close() {
        proxy.close();
        server.close();
    }
}
