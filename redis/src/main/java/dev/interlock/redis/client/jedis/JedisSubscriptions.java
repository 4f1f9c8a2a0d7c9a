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

/** Listens over Jedis connections, without its own listener, which ends with the last channel. */
public final class JedisSubscriptions implements SubscriptionSource {
    private final JedisWire wire;

    public JedisSubscriptions(JedisWire wire) {
        this.wire = wire;
    }

    @Override
    public Line open(Receiver receiver) {
        return new JedisSubscriptionLine(wire, wire.openApart(), receiver);
    }

    private static final class JedisSubscriptionLine implements Line {
        private final JedisWire wire;
        private final Connection connection;
        private final Receiver receiver;

        JedisSubscriptionLine(JedisWire wire, Connection connection, Receiver receiver) {
            this.wire = wire;
            this.connection = connection;
            this.receiver = receiver;
        }

        @Override
        public void subscribe(Collection<String> channels) {
            send(RedisCommand.of("SUBSCRIBE", channels.toArray(String[]::new)));
        }

        @Override
        public void unsubscribe(String channel) {
            send(RedisCommand.of("UNSUBSCRIBE", channel));
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
            if ("message".equals(push.get(0))) {
                receiver.message(channel, String.valueOf(push.get(2)));
            } else if ("subscribe".equals(push.get(0))) {
                receiver.confirmed(channel);
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
                // It is closed as far as it can be.
            }
        }
    }
}
