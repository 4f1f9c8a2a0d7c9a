// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.combining;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockBackendException;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink.Reply;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.endpoint.ConnectionSettings;
import dev.interlock.redis.endpoint.RedisEndpoint;
import dev.interlock.testservers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** No reply ever reaches another command's owner, whatever the network does. */
class ReplyMatchingTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    /** A value that looks like a reply from whatever byte it is read. */
    private static final String LOOKS_LIKE_A_REPLY = "+".repeat(40);

    /** The results of the callers. */
    private static final class Findings {
        final AtomicLong matched = new AtomicLong();
        final AtomicLong failed = new AtomicLong();
        final Queue<String> mismatches = new ConcurrentLinkedQueue<>();

        /** Sends texts that nobody else sends, together, and looks whether the same come back. */
        void checkTogether(RedisNode node, String text, Duration timeout) {
            List<String> texts = List.of(text + "-one", text + "-two", text + "-three");
            try {
                List<Reply> replies = node.callInOrder(
                        texts.stream()
                                .map(each -> RedisCommand.of("ECHO", each))
                                .toList(),
                        () -> RedisCommand.of("ECHO", text + "-undo"),
                        timeout);
                if (replies.equals(texts.stream()
                        .map(each -> (Reply) new Reply.Value(each))
                        .toList())) {
                    matched.incrementAndGet();
                } else {
                    mismatches.add(texts + " got " + replies);
                }
            } catch (LockBackendException e) {
                failed.incrementAndGet();
            }
        }

        /** Sends a text that nobody else sends, and looks whether the same comes back. */
        void check(RedisNode node, String text, Duration timeout) {
            try {
                Object reply = node.call(RedisCommand.of("ECHO", text), timeout);
                if (text.equals(reply)) {
                    matched.incrementAndGet();
                } else {
                    mismatches.add(text + " got " + reply);
                }
            } catch (LockBackendException e) {
                failed.incrementAndGet();
            }
        }
    }

    private static Findings run(int threads, Duration time, RoughProxy.Handling handling, ThreadStarter starter)
            throws Exception {
        Findings findings = new Findings();
        try (RedisServer server = RedisServer.start();
                RoughProxy proxy = new RoughProxy(server.port());
                RedisNode node = new CombiningConnector(
                                Environment.system(),
                                ConnectionSettings.builder()
                                        .connectTimeout(LONG)
                                        .build())
                        .connect(RedisEndpoint.parse("redis://127.0.0.1:" + proxy.port()))) {
            proxy.handle(handling);
            long end = System.nanoTime() + time.toNanos();
            long lastEnd = end + LONG.toNanos();
            List<Thread> all = new ArrayList<>();
            AtomicInteger calls = new AtomicInteger();
            for (int i = 0; i < threads; i++) {
                // Some wait for less time than replies are delayed.
                Duration timeout = i % 3 == 0 ? Duration.ofMillis(50) : Duration.ofSeconds(5);
                all.add(starter.start(() -> {
                    // On a busy machine, the faults may need more time.
                    while (System.nanoTime() < end || (findings.failed.get() == 0 && System.nanoTime() < lastEnd)) {
                        String text =
                                String.format(Locale.ROOT, "text-%08d", calls.incrementAndGet()) + LOOKS_LIKE_A_REPLY;
                        if (text.hashCode() % 2 == 0) {
                            findings.check(node, text, timeout);
                        } else {
                            findings.checkTogether(node, text, timeout);
                        }
                    }
                }));
            }
            for (Thread each : all) {
                each.join();
            }
            proxy.handle(RoughProxy.Handling.PLAIN);
            long failedSoFar = findings.failed.get();
            for (int i = 0; i < 20; i++) {
                findings.checkTogether(node, "afterwards-" + i, LONG);
            }
            // A connection may have been cut while nobody looked.
            assertThat(findings.failed.get() - failedSoFar).isLessThanOrEqualTo(4);
        }
        assertThat(findings.mismatches).isEmpty();
        assertThat(findings.matched.get()).isPositive();
        assertThat(findings.failed.get()).as("faults that did something").isPositive();
        return findings;
    }

    private interface ThreadStarter {
        Thread start(Runnable task) throws Exception;
    }

    private static Thread startPlatform(Runnable task) {
        Thread thread = new Thread(task, "caller");
        thread.start();
        return thread;
    }

    @Test
    void everyCallerGetsItsOwnReplyOrAnErrorWhenTheNetworkIsRough() throws Exception {
        run(32, Duration.ofMillis(1500), RoughProxy.rough(42, 30), ReplyMatchingTest::startPlatform);
    }

    @Test
    void everyCallerGetsItsOwnReplyOrAnErrorWhenARoughNetworkIsLong() throws Exception {
        run(32, Duration.ofMillis(1000), RoughProxy.far(RoughProxy.rough(42, 30)), ReplyMatchingTest::startPlatform);
    }

    @Test
    @Tag("deep")
    void everyCallerOfManyGetsItsOwnReplyOrAnErrorWhenARoughNetworkIsLong() throws Exception {
        run(300, Duration.ofSeconds(10), RoughProxy.far(RoughProxy.rough(42, 10)), ReplyMatchingTest::startPlatform);
    }

    @Test
    @Tag("deep")
    void everyCallerOfManyGetsItsOwnReplyOrAnErrorWhenTheNetworkIsRough() throws Exception {
        run(300, Duration.ofSeconds(10), RoughProxy.rough(42, 10), ReplyMatchingTest::startPlatform);
    }
}
