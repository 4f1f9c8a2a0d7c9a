// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.topology;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Watch;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.client.Deadline;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Sentinels that disagree, as they do for moments that no test can choose. */
class SentinelSourceTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    /** The listeners that subscribed at the sentinels. */
    private final List<RedisNode.Listener> listening = new ArrayList<>();

    private SentinelSource source(RedisNode... sentinels) {
        return new SentinelSource(Environment.system(), "main", "the sentinels", List.of(sentinels), (host, port) -> {
            throw new UnsupportedOperationException("nobody connects");
        });
    }

    private RedisNode sentinel(int port, int epoch) {
        return (RedisNode) Proxy.newProxyInstance(
                RedisNode.class.getClassLoader(),
                new Class<?>[] {RedisNode.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "call" ->
                        ((RedisCommand) arguments[0]).arguments().get(0).equals("MASTER")
                                ? List.of("name", "main", "config-epoch", Integer.toString(epoch))
                                : List.of("10.0.0.1", Integer.toString(port));
                    case "subscribe" -> {
                        assertThat(arguments[0]).isEqualTo("+switch-master");
                        listening.add((RedisNode.Listener) arguments[1]);
                        yield Watch.NONE;
                    }
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    @Test
    void theSentinelThatHasSeenTheLatestFailoverIsBelieved() {
        SentinelSource source = source(sentinel(1, 3), sentinel(2, 11), sentinel(3, 4));

        assertThat(source.find(new Deadline(Environment.system(), LONG)).name()).isEqualTo("10.0.0.1:2");
    }

    @Test
    void aFailoverOfThisPrimaryIsAHintAndSoIsASentinelThatIsHeardAgain() {
        AtomicInteger hints = new AtomicInteger();
        source(sentinel(1, 1), sentinel(1, 1)).listen(hints::incrementAndGet);
        assertThat(listening).hasSize(2);
        RedisNode.Listener one = listening.get(1);

        one.message("maintenance 10.0.0.1 1 10.0.0.1 2");
        one.message("other 10.0.0.1 1 10.0.0.1 2");
        assertThat(hints).hasValue(0);
        one.message("main 10.0.0.1 1 10.0.0.1 2");
        assertThat(hints).hasValue(1);
        one.ended();
        one.begun();
        assertThat(hints).as("it may have missed one").hasValue(2);
    }
}
