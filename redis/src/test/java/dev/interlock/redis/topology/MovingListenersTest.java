// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.topology;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Watch;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.topology.PrimarySource.Candidate;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Listeners that move between servers. The messages of the servers come at moments that the test chooses. */
class MovingListenersTest {
    private final AtomicReference<Primary> current = new AtomicReference<>();
    private final MovingListeners listeners = new MovingListeners(current::get);
    private final HeardEvents heard = new HeardEvents();

    /** A server that can be listened to, and nothing else. */
    private static final class Server {
        private final List<RedisNode.Listener> joined = new ArrayList<>();
        private final List<RedisNode.Listener> left = new ArrayList<>();
        private final Primary primary;

        Server(String name) {
            RedisNode node = (RedisNode) Proxy.newProxyInstance(
                    RedisNode.class.getClassLoader(), new Class<?>[] {RedisNode.class}, (proxy, method, arguments) -> {
                        if (!method.getName().equals("subscribe")) {
                            throw new UnsupportedOperationException(method.getName());
                        }
                        RedisNode.Listener listener = (RedisNode.Listener) arguments[1];
                        joined.add(listener);
                        return new Watch() {
                            @Override
                            public boolean isListening() {
                                throw new UnsupportedOperationException("only the listener knows");
                            }

                            @Override
                            public void close() {
                                left.add(listener);
                            }
                        };
                    });
            this.primary =
                    new Primary(new Candidate(name, name, () -> node), node, new BackgroundTasks(Environment.system()));
        }

        RedisNode.Listener listener() {
            assertThat(joined).hasSize(1);
            return joined.get(0);
        }
    }

    @Test
    void whatTheFormerPrimarySaysAfterAChangeIsNotHeard() {
        Server former = new Server("former");
        Server promoted = new Server("promoted");
        current.set(former.primary);
        Watch watch = listeners.add("channel", heard);
        former.listener().begun();
        former.listener().message("before");

        current.set(promoted.primary);
        listeners.moveAll();
        former.listener().message("stale");
        former.listener().ended();
        former.listener().begun();

        assertThat(heard.all()).containsExactly("begun", "message before", "ended");
        assertThat(watch.isListening())
                .as("the new primary has confirmed nothing")
                .isFalse();
        assertThat(former.left).containsExactly(former.listener());
        promoted.listener().begun();
        promoted.listener().message("after");
        assertThat(heard.all()).containsExactly("begun", "message before", "ended", "begun", "message after");
        assertThat(watch.isListening()).isTrue();
    }

    @Test
    void aListenerWithoutAPrimaryListensOnceThereIsOne() {
        Server found = new Server("found");
        Watch watch = listeners.add("channel", heard);
        assertThat(watch.isListening()).isFalse();

        current.set(found.primary);
        listeners.moveAll();
        listeners.moveAll();
        found.listener().begun();

        assertThat(heard.all()).containsExactly("begun");
    }

    @Test
    void whoeverGaveUpListeningIsToldNothingMore() {
        Server former = new Server("former");
        Server promoted = new Server("promoted");
        current.set(former.primary);
        Watch watch = listeners.add("channel", heard);
        former.listener().begun();

        watch.close();
        former.listener().ended();
        current.set(promoted.primary);
        listeners.moveAll();

        assertThat(heard.all()).containsExactly("begun");
        assertThat(watch.isListening()).isFalse();
        assertThat(former.left).containsExactly(former.listener());
        assertThat(promoted.joined).isEmpty();
    }
}
