// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockBackendException;
import dev.interlock.setnxpx.Fixture;
import dev.interlock.setnxpx.OnChosenClients;
import dev.interlock.testservers.CommandMonitor;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Locks over several names of one server: the commands that are sent, and their effect. */
@Execution(ExecutionMode.CONCURRENT)
class TogetherTest extends OnChosenClients {
    private static final List<String> NAMES = List.of("a", "b", "c");

    private static List<String> names(CommandMonitor monitor) {
        return monitor.commands().stream().map(command -> command.get(0)).toList();
    }

    private boolean isAnyTaken() {
        return NAMES.stream().anyMatch(redis::isTaken);
    }

    @Test
    void oneScriptTakesAllNamesAndOneGivesThemBack() {
        DistributedLockFactory factory = redis.factory();
        Fixture.warmUp(factory);
        DistributedLock lock = factory.getLock(NAMES);
        lock.lock();
        lock.unlock();
        try (CommandMonitor monitor = redis.server.monitor()) {
            lock.lock();
            assertThat(NAMES).allMatch(redis::isTaken);
            lock.unlock();
            monitor.sync();
            assertThat(names(monitor).stream().filter("EVALSHA"::equals)).hasSize(2);
            assertThat(names(monitor)).doesNotContain("SET", "INCRBY");
        }
        assertThat(isAnyTaken()).isFalse();
    }

    @Test
    void aTryThatMeetsAHolderIsOneRequestAndTakesNothing() {
        DistributedLockFactory factory = redis.factory();
        Fixture.warmUp(factory);
        // So that the server knows the script.
        assertThat(factory.getLock(List.of("d", "e")).tryLock()).isTrue();
        redis.holdElsewhere("c");
        try (CommandMonitor monitor = redis.server.monitor()) {
            assertThat(factory.getLock(NAMES).tryLock()).isFalse();
            monitor.sync();
            assertThat(names(monitor)).hasSize(1);
        }
        assertThat(redis.isTaken("a")).isFalse();
        assertThat(redis.server.command("KEYS", "*{a}*")).isEqualTo(List.of());
    }

    @Test
    void whereSomebodyWaitsForANameTheNamesAreAskedForOneByOne() {
        DistributedLock lock = redis.factory().getLock(NAMES);
        redis.server.command("ZADD", Fixture.key("b") + ":waiting", "1", "1 token 2000 1 nobody-listens-here");
        lock.lock();
        assertThat(NAMES).allMatch(redis::isTaken);
        assertThat(redis.server.command("EXISTS", Fixture.key("b") + ":waiting"))
                .isEqualTo(0L);
        lock.unlock();
        assertThat(isAnyTaken()).isFalse();
    }

    @Test
    void anErrorOfTheServerForOneNameTakesNone() {
        DistributedLock lock = redis.factory().getLock(NAMES);
        redis.server.command("SET", Fixture.key("c") + ":fence", "no number");
        assertThatThrownBy(lock::tryLock).isInstanceOf(LockBackendException.class);
        assertThat(isAnyTaken()).isFalse();
        redis.server.command("DEL", Fixture.key("c") + ":fence");
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
    }

    @Test
    void withoutFencingNoCounterIsKept() {
        DistributedLock lock =
                redis.factory(config -> config.option("fencing", "false")).getLock(NAMES);
        lock.lock();
        assertThat(lock.lease().orElseThrow().fencingToken()).isEmpty();
        assertThat(lock.lease().orElseThrow().fencingToken("b")).isEmpty();
        lock.unlock();
        assertThat(redis.server.command("KEYS", "*")).isEqualTo(List.of());
    }

    @Test
    void withoutScriptsTheNamesAreAskedForOneByOne() {
        DistributedLock lock = redis.factory(
                        config -> config.option("fencing", "false").option("release", "transaction"))
                .getLock(NAMES);
        try (CommandMonitor monitor = redis.server.monitor()) {
            lock.lock();
            assertThat(NAMES).allMatch(redis::isTaken);
            lock.unlock();
            monitor.sync();
            assertThat(names(monitor)).doesNotContain("EVALSHA", "EVAL").contains("SET");
        }
        assertThat(isAnyTaken()).isFalse();
    }
}
