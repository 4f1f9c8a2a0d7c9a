// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.engine.environment.Environment;
import java.util.Collection;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What no server can be made to do. */
class SubscriptionsTest {
    @Test
    void anErrorOfTheClientLibraryDoesNotEndListeningForGood() throws Exception {
        AtomicInteger opened = new AtomicInteger();
        SubscriptionSource failing = receiver -> {
            if (opened.getAndIncrement() < 2) {
                throw new NoClassDefFoundError("on purpose");
            }
            return new Confirming(receiver);
        };
        Subscriptions subscriptions = new Subscriptions(Environment.system(), "a server", failing);
        CountDownLatch told = new CountDownLatch(1);

        subscriptions.add("channel", new RedisNode.Listener() {
            @Override
            public void begun() {
                told.countDown();
            }

            @Override
            public void message(String text) {}
        });

        try {
            assertThat(told.await(20, TimeUnit.SECONDS)).isTrue();
        } finally {
            subscriptions.close();
        }
    }

    /** A connection on which each subscription is confirmed at once. */
    private static final class Confirming implements SubscriptionSource.Line {
        private final SubscriptionSource.Receiver receiver;
        private final CountDownLatch end = new CountDownLatch(1);

        Confirming(SubscriptionSource.Receiver receiver) {
            this.receiver = receiver;
        }

        @Override
        public void subscribe(Collection<String> channels) {
            channels.forEach(receiver::confirmed);
        }

        @Override
        public void unsubscribe(String channel) {}

        @Override
        public void listen() {
            try {
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void close() {
            end.countDown();
        }
    }
}
