// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.lettuce;

import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.client.Deadline;
import dev.interlock.redis.client.Failures;
import dev.interlock.redis.client.ServerError;
import dev.interlock.redis.client.SubscriptionSource;
import dev.interlock.redis.client.Waiting;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.Collection;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;

/** Subscribes over Lettuce connections. */
public final class LettuceSubscriptions implements SubscriptionSource {
    private final Environment env;
    private final Failures failures;
    private final LettuceClient client;
    private final boolean sharded;

    public LettuceSubscriptions(Environment env, Failures failures, LettuceClient client) {
        this(env, failures, client, false);
    }

    private LettuceSubscriptions(Environment env, Failures failures, LettuceClient client, boolean sharded) {
        this.env = env;
        this.failures = failures;
        this.client = client;
        this.sharded = sharded;
    }

    @Override
    public SubscriptionSource sharded() {
        return new LettuceSubscriptions(env, failures, client, true);
    }

    @Override
    public Line open(Receiver receiver) {
        Deadline deadline = new Deadline(env, client.dialer().connectTimeout());
        CompletableFuture<LettuceSession<StatefulRedisPubSubConnection<String, String>>> opening =
                client.dialer().connectPubSub();
        Waiting.until(env, opening, deadline);
        if (!opening.isDone()) {
            opening.thenAccept(session -> client.close(session.connection()));
            throw failures.noConnectionInTime(deadline);
        }
        try {
            return new LettuceSubscriptionLine(opening.join(), receiver);
        } catch (CompletionException | CancellationException e) {
            throw LettuceWire.noConnection(failures, e, deadline);
        }
    }

    private final class LettuceSubscriptionLine implements Line {
        private final LettuceSession<StatefulRedisPubSubConnection<String, String>> session;
        private final StatefulRedisPubSubConnection<String, String> connection;
        private final Receiver receiver;
        private final CompletableFuture<Void> end = new CompletableFuture<>();
        private final AtomicBoolean closed = new AtomicBoolean();

        LettuceSubscriptionLine(
                LettuceSession<StatefulRedisPubSubConnection<String, String>> session, Receiver receiver) {
            this.session = session;
            this.connection = session.connection();
            this.receiver = receiver;
            connection.addListener(new RedisConnectionStateListener() {
                @Override
                public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
                    end.complete(null);
                }
            });
            connection.addListener(new RedisPubSubAdapter<>() {
                @Override
                public void message(String channel, String message) {
                    receiver.message(channel, message);
                }

                @Override
                public void subscribed(String channel, long count) {
                    receiver.confirmed(channel);
                }

                @Override
                public void smessage(String channel, String message) {
                    receiver.message(channel, message);
                }

                @Override
                public void ssubscribed(String channel, long count) {
                    receiver.confirmed(channel);
                }

                @Override
                public void sunsubscribed(String channel, long count) {
                    receiver.revoked(channel);
                }
            });
            if (!connection.isOpen()) {
                end.complete(null);
            }
        }

        @Override
        public void subscribe(Collection<String> channels) {
            if (sharded) {
                // A command takes channels of one slot only.
                channels.forEach(channel -> watch(connection.async().ssubscribe(channel)));
            } else {
                watch(connection.async().subscribe(channels.toArray(String[]::new)));
            }
        }

        private void watch(RedisFuture<Void> subscribing) {
            subscribing.whenComplete((done, failure) -> {
                if (failure instanceof RedisCommandExecutionException) {
                    receiver.refused(new ServerError(String.valueOf(failure.getMessage())));
                } else if (failure != null) {
                    // The command was not sent, as on a connection that does not accept commands yet. Another
                    // connection is opened, and all subscriptions are sent there.
                    end.complete(null);
                }
            });
        }

        @Override
        public void unsubscribe(String channel) {
            if (sharded) {
                connection.async().sunsubscribe(channel);
            } else {
                connection.async().unsubscribe(channel);
            }
        }

        @Override
        public boolean isExpiring() {
            return session.isExpiring(env.nanoTime());
        }

        @Override
        public void ping() {
            connection.async().ping().whenComplete((pong, failure) -> {
                if (failure == null || failure instanceof RedisCommandExecutionException) {
                    receiver.alive();
                }
            });
        }

        @Override
        public void listen() {
            Waiting.until(env, end);
        }

        @Override
        public void close() {
            end.complete(null);
            if (closed.compareAndSet(false, true)) {
                client.close(connection);
            }
        }
    }
}
