// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.testservers.ChildJvm;
import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One lock shared with programs that have Redisson 3. */
@Tag("deep")
class OlderRedissonTest {
    private final Fixture redis = new Fixture();

    @AfterEach
    void stop() {
        redis.close();
    }

    /** The class path of the tests with the older Redisson in place of ours; it runs with our version of Netty, too. */
    private static String olderClassPath() {
        File[] older = new File("target/older-redisson").listFiles();
        assertThat(older).isNotEmpty();
        Stream<String> others = Arrays.stream(
                        System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !Path.of(entry).getFileName().toString().matches("(redisson|jackson)-.*\\.jar"));
        return Stream.concat(Arrays.stream(older).map(File::getPath), others)
                .collect(Collectors.joining(File.pathSeparator));
    }

    @Test
    void anOlderPlainLockAndOursExcludeAndWakeEachOther() throws Exception {
        BlockingQueue<String> said = new LinkedBlockingQueue<>();
        DistributedLock ours = redis.lock(Fixture.lease(Fixture.LONG));
        try (ChildJvm older = ChildJvm.start(
                olderClassPath(),
                List.of(),
                PlainLockProgram.class,
                List.of(redis.server.uri()),
                said::add,
                () -> said.add("ended"))) {
            assertThat(next(said)).matches(".*/redisson-3\\..*\\.jar");
            older.say("lock");
            assertThat(next(said)).isEqualTo("locked");
            assertThat(ours.tryLock()).isFalse();
            FutureTask<Boolean> waiter = Fixture.start(() -> {
                ours.lock();
                ours.unlock();
                return true;
            });
            redis.awaitWaiter();
            older.say("unlock");
            assertThat(next(said)).isEqualTo("unlocked");
            assertThat(Fixture.result(waiter)).isTrue();

            ours.lock();
            older.say("try");
            assertThat(next(said)).isEqualTo("refused");
            // Our own subscription is kept for a moment.
            await().atMost(Fixture.PATIENCE).until(() -> redis.listeners() == 0);
            older.say("lock");
            redis.awaitWaiter();
            ours.unlock();
            assertThat(next(said)).isEqualTo("locked");
            older.say("unlock");
            assertThat(next(said)).isEqualTo("unlocked");
            assertThat(redis.isTaken()).isFalse();
        }
    }

    private static String next(BlockingQueue<String> said) throws InterruptedException {
        return said.poll(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void processesWithOlderPlainLocksAndOursNeverHoldTheLockAtOnceAndTheirTokensGrow(@TempDir Path directory)
            throws Exception {
        LockingProcess.shareALock(redis.server.uri(), directory, olderClassPath());
    }
}
