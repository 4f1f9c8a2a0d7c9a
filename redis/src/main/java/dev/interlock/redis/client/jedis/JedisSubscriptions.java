// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.jedis;

import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.client.ServerError;
import dev.interlock.redis.client.SubscriptionSource;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisException;

/** Subscribes over Jedis connections, without Jedis' own listener, which ends with the last channel. */
public final class JedisSubscriptions implements SubscriptionSource {
    private final JedisWire wire;
    private final boolean sharded;

    public JedisSubscriptions(JedisWire wire) {
        this(wire, false);
    }

    private JedisSubscriptions(JedisWire wire, boolean sharded) {
        this.wire = wire;
        this.sharded = sharded;
    }

    @Override
    public Line open(Receiver receiver) {
        return new JedisSubscriptionLine(wire, wire.openApart(), receiver, sharded);
    }

    @Override
    public SubscriptionSource sharded() {
        return new JedisSubscriptions(wire, true);
    }

    private static final class JedisSubscriptionLine implements Line {
        private final JedisWire wire;
        private final Connection connection;
        private final Receiver receiver;
        private final boolean sharded;

        JedisSubscriptionLine(JedisWire wire, Connection connection, Receiver receiver, boolean sharded) {
            this.wire = wire;
            this.connection = connection;
            this.receiver = receiver;
            this.sharded = sharded;
        }

        @Override
        public void subscribe(Collection<String> channels) {
            if (sharded) {
                // A command takes channels of one slot only.
                JedisLine.send(
                        connection,
                        channels.stream()
                                .map(channel -> RedisCommand.of("SSUBSCRIBE", channel))
                                .toList());
            } else {
                send(RedisCommand.of("SUBSCRIBE", channels.toArray(String[]::new)));
            }
        }

        @Override
        public void unsubscribe(String channel) {
            send(RedisCommand.of(sharded ? "SUNSUBSCRIBE" : "UNSUBSCRIBE", channel));
        }

        @Override
        public void ping() {
            send(RedisCommand.of("PING"));
        }

        @Override
        public boolean isExpiring() {
            return connection instanceof JedisConnection own && own.isExpiring(wire.nanoTime());
        }

        private void send(RedisCommand command) {
            JedisLine.send(connection, List.of(command));
        }

        @Override
        public void listen() {
            try {
                connection.setSoTimeout(0);
                while (true) {
                    Object reply = JedisLine.read(connection);
                    if (reply instanceof ServerError error) {
                        receiver.refused(error);
                    } else if (reply instanceof List<?> push && push.size() == 3) {
                        tell(push);
                    } else {
                        receiver.alive();
                    }
                }
            } catch (JedisException e) {
                // The connection has ended.
            }
        }

        private void tell(List<?> push) {
            String channel = String.valueOf(push.get(1));
            switch (String.valueOf(push.get(0))) {
                case "message", "smessage" -> receiver.message(channel, String.valueOf(push.get(2)));
                case "subscribe", "ssubscribe" -> receiver.confirmed(channel);
                case "sunsubscribe" -> receiver.revoked(channel);
                default -> receiver.alive();
            }
        }

        @Override
        public void close() {
            if (connection instanceof JedisConnection own) {
                own.closeSocket();
                return;
            }
            try {
                connection.forceDisconnect();
            } catch (IOException e) {
                // The connection is closed as far as possible.
            }
        }
    }
}
