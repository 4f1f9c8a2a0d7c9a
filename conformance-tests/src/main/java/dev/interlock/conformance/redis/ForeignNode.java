// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.redis;

import dev.interlock.RedisEndpoint;
import dev.interlock.conformance.Fault;
import dev.interlock.conformance.FaultInjector;
import dev.interlock.testservers.FaultProxy;
import java.net.URI;
import java.util.EnumSet;
import java.util.Set;

/** A server that others may be using too: only the proxy in front of it fails. */
final class ForeignNode implements Node {
    static final Set<Fault> FAULTS =
            EnumSet.of(Fault.PAUSE, Fault.PARTITION, Fault.CUT_CONNECTIONS, Fault.DELAY, Fault.LOSE_NEXT_REPLY);

    private final String login;
    private final int database;
    private final FaultProxy proxy;

    /**
     * Puts a proxy in front of a server.
     *
     * @throws IllegalArgumentException if the server is to be reached by TLS
     */
    ForeignNode(String uri) {
        RedisEndpoint endpoint = RedisEndpoint.parse(uri);
        if (endpoint.tls()) {
            throw new IllegalArgumentException(RedisHarness.PROPERTY
                    + " asks for TLS, which the proxy in front of the server does not speak: give a redis:// server");
        }
        String userInfo = URI.create(uri.strip()).getRawUserInfo();
        login = userInfo == null ? "" : userInfo + "@";
        database = endpoint.database();
        proxy = FaultProxy.to(endpoint.host(), endpoint.port());
    }

    @Override
    public String uri() {
        return "redis://" + login + "127.0.0.1:" + proxy.port() + "/" + database;
    }

    @Override
    public void inject(Fault fault) {
        if (fault == Fault.PAUSE) {
            proxy.blackhole();
        } else {
            inject(fault, proxy);
        }
    }

    /** Causes one of the faults that need no more than a proxy. */
    static void inject(Fault fault, FaultProxy proxy) {
        switch (fault) {
            case PARTITION -> proxy.refuse();
            case CUT_CONNECTIONS -> proxy.cutConnections();
            case DELAY -> proxy.delayReplies(FaultInjector.DELAY);
            case LOSE_NEXT_REPLY -> proxy.loseNextReply();
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
