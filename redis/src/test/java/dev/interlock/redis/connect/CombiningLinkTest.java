// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.LockBackendException.Reason;
import dev.interlock.redis.LuaScript;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink;
import dev.interlock.testservers.FaultProxy;
import dev.interlock.testservers.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Links on which callers write and read by themselves. */
class CombiningLinkTest extends RedisLinkContract {
    @Override
    ClientLibrary library() {
        return ClientLibrary.INTERLOCK;
    }

    @Test
    void aThreadThatIsAloneReadsByItself() {
        RedisLink link = node(start().uri()).openLink(LONG);
        Thread caller = Thread.currentThread();
        Set<Thread> readers = ConcurrentHashMap.newKeySet();
        long end = System.nanoTime() + LONG.toNanos();
        // After a pause, and for a while after a slow reply, the connection's thread reads.
        while (!readers.contains(caller) && System.nanoTime() - end < 0) {
            CompletableFuture<RedisLink.Reply> reply = new CompletableFuture<>();
            link.send(RedisCommand.of("PING"), it -> {
                readers.add(Thread.currentThread());
                reply.complete(it);
            });
            link.flush();
            if (!link.readReplies(reply::isDone)) {
                link.readInBackground();
            }
            assertThat(value(reply)).isEqualTo("PONG");
        }
        assertThat(readers).contains(caller);
    }

    @Test
    void repliesThatNobodyReadsAreSweptUp() {
        RedisLink link = node(start().uri()).openLink(LONG);
        for (int i = 0; i < 100; i++) {
            CompletableFuture<RedisLink.Reply> left = send(link, RedisCommand.of("PING"));
            CompletableFuture<RedisLink.Reply> own = send(link, RedisCommand.of("PING"));
            link.readReplies(left::isDone);
            assertThat(value(own)).isEqualTo("PONG");
        }
    }

    @Test
    void aScriptThatTheServerDoesNotKnowIsSentInFullThoughItsCallerDoesNotComeBack() {
        RedisServer server = start();
        RedisLink link = node(server.uri()).openLink(LONG);
        for (int i = 0; i < 5; i++) {
            LuaScript unknown = LuaScript.of("return redis.call('SET', KEYS[1], '" + i + "')");
            send(link, RedisCommand.script(unknown, List.of("k"), List.of()));
            String expected = String.valueOf(i);
            // Waits for the effect; meanwhile the connection's thread becomes idle.
            await().atMost(LONG).until(() -> expected.equals(server.command("GET", "k")));
        }
    }

    @Test
    void aServerThatStandsStillKeepsNoCaller() {
        RedisServer server = start();
        RedisLink link = node(server.uri()).openLink(LONG);
        server.pause();
        CompletableFuture<RedisLink.Reply> reply = send(link, RedisCommand.of("PING"));
        assertThat(link.readReplies(reply::isDone)).isFalse();
        link.readInBackground();
        server.resume();
        assertThat(value(reply)).isEqualTo("PONG");
    }

    @Test
    void sendingNeverWaitsHoweverMuchTheServerOwes() throws Exception {
        RedisServer server = start();
        RedisLink link = node(server.uri()).openLink(LONG);
        server.pause();
        String text = "x".repeat(10_000);
        List<CompletableFuture<RedisLink.Reply>> replies = new ArrayList<>();
        try {
            // More than the buffers of the system hold for a server that does not read.
            CompletableFuture.runAsync(() -> {
                        for (int i = 0; i < 2_000; i++) {
                            replies.add(send(link, RedisCommand.of("SETRANGE", "k", "0", text)));
                        }
                    })
                    .get(LONG.toSeconds(), TimeUnit.SECONDS);
        } finally {
            server.resume();
        }
        assertThat(replies)
                .hasSize(2_000)
                .allSatisfy(reply -> assertThat(value(reply)).isEqualTo((long) text.length()));
    }

    @Test
    void theEndOfAConnectionIsNoticedThoughNobodyAsks() {
        FaultProxy proxy = closeLater(FaultProxy.to(start()));
        RedisLink link = node(proxy.uri()).openLink(LONG);
        assertThat(value(send(link, RedisCommand.of("PING")))).isEqualTo("PONG");
        proxy.cutConnections();
        await().atMost(LONG).until(() -> !link.isOpen());
    }

    @Test
    void whatIsSentOverALinkThatHasEndedFailsThoughNobodyHasItWritten() {
        RedisLink link = node(start().uri()).openLink(LONG);
        assertThat(value(send(link, RedisCommand.of("PING")))).isEqualTo("PONG");
        link.close();
        CompletableFuture<RedisLink.Reply> reply = new CompletableFuture<>();
        link.send(RedisCommand.of("PING"), reply::complete);
        assertThat(failure(reply).reason()).isEqualTo(Reason.UNREACHABLE);
    }

    @Test
    void manyThreadsShareALink() throws Exception {
        RedisLink link = node(start().uri()).openLink(LONG);
        List<CompletableFuture<Void>> threads = new ArrayList<>();
        for (int i = 0; i < 32; i++) {
            String key = "k" + i;
            threads.add(CompletableFuture.runAsync(
                    () -> {
                        for (long n = 1; n <= 200; n++) {
                            CompletableFuture<RedisLink.Reply> reply = send(link, RedisCommand.of("INCR", key));
                            if (!link.readReplies(reply::isDone)) {
                                link.readInBackground();
                            }
                            assertThat(value(reply)).isEqualTo(n);
                        }
                    },
                    task -> new Thread(task).start()));
        }
        CompletableFuture.allOf(threads.toArray(CompletableFuture[]::new)).get(LONG.toSeconds(), TimeUnit.SECONDS);
    }
}
