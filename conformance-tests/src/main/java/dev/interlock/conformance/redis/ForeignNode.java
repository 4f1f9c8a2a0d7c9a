// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.redis;

import dev.interlock.LockConfig;
import dev.interlock.conformance.harness.Fault;
import dev.interlock.conformance.harness.FaultInjector;
import dev.interlock.testservers.FaultProxy;
import java.net.URI;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** A server that others may be using too: only the proxy in front of it fails. */
final class ForeignNode implements Node {
    static final Set<Fault> FAULTS =
            EnumSet.of(Fault.PAUSE, Fault.PARTITION, Fault.CUT_CONNECTIONS, Fault.DELAY, Fault.LOSE_NEXT_REPLY);

    private static final int DEFAULT_PORT = 6379;

    private final String login;
    private final String path;
    private final FaultProxy proxy;
    private CompletableFuture<Void> lostReply = new CompletableFuture<>();

    /**
     * Puts a proxy in front of a server.
     *
     * @throws IllegalArgumentException if the server is to be reached by TLS, or by anything but a {@code redis://} URI
     */
    ForeignNode(URI server) {
        if ("rediss".equalsIgnoreCase(server.getScheme())) {
            throw new IllegalArgumentException(RedisHarness.PROPERTY
                    + " asks for TLS, which the proxy in front of the server does not speak: give a redis:// server");
        }
        if (!"redis".equalsIgnoreCase(server.getScheme()) || server.getHost() == null) {
            throw new IllegalArgumentException(RedisHarness.PROPERTY + " names " + LockConfig.mask(server)
                    + ", before which no proxy can be put: give redis://host:port, several separated by commas");
        }
        String userInfo = server.getRawUserInfo();
        login = userInfo == null ? "" : userInfo + "@";
        path = server.getRawPath();
        String host = server.getHost().replaceAll("[\\[\\]]", "");
        proxy = FaultProxy.to(host, server.getPort() == -1 ? DEFAULT_PORT : server.getPort());
    }

    @Override
    public String uri() {
        return "redis://" + login + "127.0.0.1:" + proxy.port() + path;
    }

    @Override
    public void inject(Fault fault) {
        switch (fault) {
            case PAUSE -> proxy.blackhole();
            case LOSE_NEXT_REPLY -> lostReply = proxy.loseNextReply();
            default -> inject(fault, proxy);
        }
    }

    @Override
    public boolean hasLostReply() {
        return lostReply.isDone();
    }

    /** Causes one of the faults that need no more than a proxy. */
    static void inject(Fault fault, FaultProxy proxy) {
        switch (fault) {
            case PARTITION -> proxy.refuse();
            case CUT_CONNECTIONS -> proxy.cutConnections();
            case DELAY -> proxy.delayReplies(FaultInjector.DELAY);
            default -> throw new UnsupportedOperationException(fault + " would hurt a server that others use");
        }
    }

    @Override
    public void heal() {
        heal(proxy);
    }

    static void heal(FaultProxy proxy) {
        proxy.heal();
        proxy.accept();
    }

    @Override
    public void close() {
        proxy.close();
    }
}
