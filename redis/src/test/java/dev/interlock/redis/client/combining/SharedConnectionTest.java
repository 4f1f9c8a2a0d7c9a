// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.combining;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.LuaScript;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.client.Deadline;
import dev.interlock.redis.client.Failures;
import dev.interlock.redis.client.ServerAccess;
import dev.interlock.redis.client.ShiftedEnvironment;
import dev.interlock.redis.client.ThreadListingEnvironment;
import dev.interlock.redis.client.combining.Ticket.State;
import dev.interlock.redis.client.jedis.JedisDialer;
import dev.interlock.redis.endpoint.ConnectionSettings;
import dev.interlock.redis.endpoint.RedisCredentials;
import dev.interlock.redis.endpoint.RedisEndpoint;
import dev.interlock.testservers.CommandMonitor;
import dev.interlock.testservers.RedisServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Several callers that share a connection. The first one blocks the connection, so that the others arrive in a known
 * order.
 */
class SharedConnectionTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final RedisCommand PING = RedisCommand.of("PING");
    private static final RedisCommand TAKE = RedisCommand.of("SET", "k", "token", "NX", "PX", "60000");
    private static final RedisCommand UNDO = RedisCommand.script(
                    LuaScript.of("return redis.call('DEL', KEYS[1])"), List.of("k"), List.of())
            .inFull();

    private static final List<RedisCommand> NONE = List.of();

    private final RedisServer server = RedisServer.start();
    private final ThreadListingEnvironment env = new ThreadListingEnvironment();
    private final List<Long> suspicions = new CopyOnWriteArrayList<>();

    @AfterEach
    void stop() {
        server.close();
    }

    private SharedConnection connection() {
        return connection(server.port());
    }

    private SharedConnection connection(int port) {
        return connection(
                port, ConnectionSettings.builder().connectTimeout(LONG).build());
    }

    private SharedConnection connection(int port, ConnectionSettings settings) {
        return connection(port, settings, env);
    }

    private SharedConnection connection(int port, ConnectionSettings settings, Environment env) {
        RedisEndpoint endpoint = RedisEndpoint.parse("redis://127.0.0.1:" + port);
        Failures failures = new Failures(env, endpoint.toString());
        JedisDialer dialer = new JedisDialer(env, new ServerAccess(env, failures, endpoint, settings, false));
        return new SharedConnection(env, failures, dialer, suspicions::add);
    }

    /** A thread that sends a command over a shared connection. */
    private final class Caller {
        final Thread thread;
        final FutureTask<Ticket> end;
        private final ShiftedEnvironment clock;

        Caller(SharedConnection connection, RedisCommand command, List<RedisCommand> undo, Duration timeout) {
            this(connection, command, undo, timeout, false);
        }

        Caller(
                SharedConnection connection,
                RedisCommand command,
                List<RedisCommand> undo,
                Duration timeout,
                boolean urgent) {
            this(connection, List.of(command), undo, timeout, urgent);
        }

        Caller(
                SharedConnection connection,
                List<RedisCommand> commands,
                List<RedisCommand> undo,
                Duration timeout,
                boolean urgent) {
            this(connection, commands, undo, timeout, urgent, new ShiftedEnvironment());
        }

        /** @param clock the clock by which the time of this caller runs out */
        Caller(
                SharedConnection connection,
                List<RedisCommand> commands,
                List<RedisCommand> undo,
                Duration timeout,
                boolean urgent,
                ShiftedEnvironment clock) {
            this.clock = clock;
            Deadline deadline = new Deadline(clock, timeout);
            end = new FutureTask<>(() -> {
                Ticket ticket = new Ticket(env, commands, undo, deadline, urgent);
                connection.carry(ticket);
                return ticket;
            });
            thread = new Thread(end, "caller");
            thread.start();
        }

        Ticket end() throws Exception {
            return end.get(20, TimeUnit.SECONDS);
        }

        /** Lets the time of this caller, which waits for another thread, run out. */
        Ticket expire() throws Exception {
            clock.putForward(LONG.toNanos() * 2);
            LockSupport.unpark(thread);
            return end();
        }
    }

    private static RedisCommand take(String list) {
        return RedisCommand.of("BLPOP", list, "0");
    }

    private void open(String list) {
        server.command("RPUSH", list, "x");
    }

    /** A caller that reads, and whose reply comes when the list {@code gate} is pushed to. */
    private Caller block(SharedConnection connection) {
        Caller first = new Caller(connection, take("gate"), NONE, LONG);
        awaitBlocked(1);
        return first;
    }

    private void awaitBlocked(int clients) {
        await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .atMost(LONG)
                .until(() -> String.valueOf(server.command("INFO", "clients"))
                        .contains("blocked_clients:" + clients + "\r\n"));
    }

    /** A caller whose command waits behind those of others. */
    private Caller queue(SharedConnection connection, RedisCommand command, List<RedisCommand> undo, Duration timeout) {
        return parked(new Caller(connection, command, undo, timeout));
    }

    private static Caller parked(Caller caller) {
        await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .atMost(LONG)
                .until(() -> caller.thread.getState() == Thread.State.TIMED_WAITING);
        return caller;
    }

    private Caller queue(SharedConnection connection, RedisCommand command) {
        return queue(connection, command, NONE, LONG);
    }

    @Test
    void commandsAreSentInTheOrderInWhichTheirCallersCame() throws Exception {
        assertThatCommandsAreSentInOrder(20);
    }

    @Test
    @Tag("deep")
    void aThousandCallersAreServedInTheOrderInWhichTheyCameThoughNoBatchHoldsThemAll() throws Exception {
        assertThatCommandsAreSentInOrder(1000);
    }

    private void assertThatCommandsAreSentInOrder(int number) throws Exception {
        // Long enough for a busy machine to start all of them.
        Duration timeout = LONG.multipliedBy(10);
        SharedConnection connection = connection();
        new Caller(connection, take("gate"), NONE, timeout);
        awaitBlocked(1);
        List<Caller> callers = new ArrayList<>();
        List<String> order = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            callers.add(queue(connection, RedisCommand.of("RPUSH", "order", "number-" + i), NONE, timeout));
            order.add("number-" + i);
        }

        open("gate");
        for (int i = 0; i < callers.size(); i++) {
            assertThat(callers.get(i).end().replies()).containsExactly((long) i + 1);
        }

        assertThat(server.command("LRANGE", "order", "0", "-1")).isEqualTo(order);
    }

    @Test
    void whatIsUrgentIsSentBeforeWhatCameEarlier() throws Exception {
        SharedConnection connection = connection();
        block(connection);
        Caller usual = queue(connection, RedisCommand.of("RPUSH", "order", "usual"));
        Caller urgent = parked(new Caller(connection, RedisCommand.of("RPUSH", "order", "urgent"), NONE, LONG, true));

        open("gate");
        usual.end();
        urgent.end();

        assertThat(server.command("LRANGE", "order", "0", "-1")).isEqualTo(List.of("urgent", "usual"));
    }

    @Test
    void aCommandWhoseTurnDoesNotComeInTimeIsNeverSent() throws Exception {
        SharedConnection connection = connection();
        Caller first = block(connection);
        Caller late = new Caller(connection, TAKE, List.of(UNDO), Duration.ofMillis(100));

        assertThat(late.end().state()).isEqualTo(State.WITHDRAWN);
        open("gate");

        assertThat(first.end().replies()).containsExactly(List.of("gate", "x"));
        assertThat(new Caller(connection, PING, NONE, LONG).end().replies()).containsExactly("PONG");
        assertThat(server.command("GET", "k")).isNull();
        assertThat(suspicions).isEmpty();
    }

    @Test
    void whoseTimeIsUpLeavesWhileAnotherThreadReadsAndItsCommandIsUndoneRightBehind() throws Exception {
        SharedConnection connection = connection();
        Caller first = block(connection);
        Caller second = queue(connection, take("second"));
        Caller late = queue(connection, TAKE, List.of(UNDO), LONG);
        Caller third = queue(connection, RedisCommand.of("GET", "k"));
        try (CommandMonitor monitor = server.monitor()) {
            open("gate");
            first.end();
            awaitBlocked(1);
            Ticket ticket = late.expire();

            assertThat(ticket.state()).isEqualTo(State.LATE);
            assertThat(connection.isRetired()).isTrue();
            assertThat(suspicions).containsExactly(ticket.sentNanos());
            assertThat(second.end.isDone()).isFalse();
            open("second");

            assertThat(second.end().replies()).containsExactly(List.of("second", "x"));
            assertThat(third.end().replies()).containsExactly("token");
            await().pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(5))
                    .atMost(LONG)
                    .until(() -> server.command("GET", "k") == null);
            assertThat(monitor.commands())
                    .extracting(command -> command.get(0))
                    .containsSubsequence("BLPOP", "SET", "EVAL");
        }
    }

    @Test
    void severalCommandsThatUndoOneStayTogether() throws Exception {
        SharedConnection connection = connection();
        Caller first = block(connection);
        Caller second = queue(connection, take("second"));
        List<RedisCommand> undo =
                List.of(RedisCommand.of("ECHO", "undo-begins"), UNDO, RedisCommand.of("ECHO", "undo-ends"));
        List<Caller> late = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            late.add(queue(connection, RedisCommand.of("SET", "k", "token"), undo, LONG));
        }
        Caller third = queue(connection, RedisCommand.of("ECHO", "third"));
        try (CommandMonitor monitor = server.monitor()) {
            open("gate");
            first.end();
            awaitBlocked(1);
            late.forEach(each -> each.clock.putForward(LONG.toNanos() * 2));
            late.forEach(each -> LockSupport.unpark(each.thread));
            for (Caller each : late) {
                assertThat(each.end().state()).isEqualTo(State.LATE);
            }
            open("second");

            assertThat(second.end().replies()).containsExactly(List.of("second", "x"));
            assertThat(third.end().replies()).containsExactly("third");
            await().pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(5))
                    .atMost(LONG)
                    .until(() -> undos(monitor).size() == 4 * undo.size());
            assertThat(undos(monitor))
                    .containsExactlyElementsOf(
                            Collections.nCopies(4, List.of("undo-begins", "EVAL", "undo-ends")).stream()
                                    .flatMap(List::stream)
                                    .toList());
        }
    }

    @Test
    void anUndoNeverPrecedesWhatItUndoesThoughTheTimeIsUpWhileABatchIsMade() throws Exception {
        SharedConnection connection = connection();
        block(connection);
        Caller leader = queue(connection, RedisCommand.of("ECHO", "leader"));
        Caller late = queue(connection, TAKE, List.of(UNDO), LONG);
        // The leader looks at the clock of the next ticket when it has taken the late one, and has written neither.
        AtomicReference<Thread> next = new AtomicReference<>();
        CountDownLatch taken = new CountDownLatch(1);
        ShiftedEnvironment clock = new ShiftedEnvironment() {
            @Override
            public long nanoTime() {
                Thread owner = next.get();
                if (owner != null && Thread.currentThread() != owner && taken.getCount() > 0) {
                    taken.countDown();
                    late.clock.putForward(LONG.toNanos() * 2);
                    LockSupport.unpark(late.thread);
                    awaitWaitingForALock(late.thread);
                }
                return super.nanoTime();
            }
        };
        Deadline deadline = new Deadline(clock, LONG);
        FutureTask<Ticket> end = new FutureTask<>(() -> {
            Ticket ticket = new Ticket(env, List.of(RedisCommand.of("ECHO", "next")), NONE, deadline, false);
            connection.carry(ticket);
            return ticket;
        });
        Thread owner = new Thread(end, "next");
        owner.start();
        await().atMost(LONG).until(() -> owner.getState() == Thread.State.TIMED_WAITING);
        next.set(owner);
        try (CommandMonitor monitor = server.monitor()) {
            open("gate");

            assertThat(leader.end().replies()).containsExactly("leader");
            assertThat(end.get(20, TimeUnit.SECONDS).replies()).containsExactly("next");
            assertThat(taken.getCount()).isZero();
            State state = late.end().state();
            await().atMost(LONG).until(() -> state == State.ANSWERED || server.command("GET", "k") == null);
            if (state == State.LATE) {
                assertThat(monitor.commands())
                        .extracting(command -> command.get(0))
                        .containsSubsequence("SET", "ECHO", "EVAL");
            }
        }
    }

    /** Waits until a thread has no time-out to wait for, or has ended. */
    private static void awaitWaitingForALock(Thread thread) {
        await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .atMost(LONG)
                .until(() -> thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TERMINATED);
    }

    @Test
    void aCommandDoesNotWaitForRepliesThatComeFromFarAway() throws Exception {
        try (RoughProxy proxy = new RoughProxy(server.port())) {
            StoppedClock clock = new StoppedClock();
            ConnectionSettings settings =
                    ConnectionSettings.builder().connectTimeout(LONG).build();
            SharedConnection connection = connection(proxy.port(), settings, clock);
            new Caller(connection, PING, NONE, LONG).end();
            Semaphore replies = new Semaphore(0);
            proxy.handle((to, piece) -> {
                replies.acquireUninterruptibly();
                to.write(piece);
            });
            Caller slow = new Caller(connection, RedisCommand.of("SET", "slow", "0"), NONE, LONG);
            awaitValue("slow", "0");
            clock.putForward(TimeUnit.MILLISECONDS.toNanos(1));
            replies.release();
            slow.end();

            Caller first = new Caller(connection, RedisCommand.of("SET", "a", "1"), NONE, LONG);
            awaitValue("a", "1");
            Caller second = new Caller(connection, RedisCommand.of("SET", "b", "2"), NONE, LONG);
            awaitValue("b", "2");
            Caller third = new Caller(connection, RedisCommand.of("GET", "b"), NONE, LONG);
            replies.release(1000);

            assertThat(first.end().replies()).containsExactly("OK");
            assertThat(second.end().replies()).containsExactly("OK");
            assertThat(third.end().replies()).containsExactly("2");
            assertThat(suspicions).isEmpty();
        }
    }

    private static final class StoppedClock extends ShiftedEnvironment {
        private final AtomicLong nanos = new AtomicLong();

        @Override
        public void putForward(long by) {
            nanos.addAndGet(by);
        }

        @Override
        public long nanoTime() {
            return nanos.get();
        }
    }

    private void awaitValue(String key, String value) {
        await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .atMost(LONG)
                .until(() -> value.equals(server.command("GET", key)));
    }

    private static List<String> undos(CommandMonitor monitor) {
        return monitor.commands().stream()
                .map(command -> command.get(0).equals("EVAL") ? "EVAL" : command.get(command.size() - 1))
                .filter(word -> word.equals("EVAL") || word.startsWith("undo-"))
                .toList();
    }

    private SharedConnection loggedInConnection(Supplier<RedisCredentials> credentials) {
        return connection(
                server.port(),
                ConnectionSettings.builder()
                        .connectTimeout(LONG)
                        .credentials(credentials)
                        .build());
    }

    private RedisCredentials credentials(String token) {
        return RedisCredentials.of("locks", token)
                .until(Instant.ofEpochMilli(env.currentTimeMillis()).plusSeconds(600));
    }

    @Test
    void aConnectionWhoseLoginExpiresLogsInAgainAheadOfTheNextCommand() throws Exception {
        server.command("ACL", "SETUSER", "locks", "on", ">token-1", ">token-2", "~*", "+@all");
        AtomicInteger asked = new AtomicInteger();
        SharedConnection connection = loggedInConnection(() -> credentials("token-" + asked.incrementAndGet()));
        RedisCommand id = RedisCommand.of("CLIENT", "ID");
        Ticket before = new Caller(connection, id, NONE, LONG).end();

        env.putForward(TimeUnit.SECONDS.toNanos(540));
        Ticket after = new Caller(connection, id, NONE, LONG).end();
        Ticket later = new Caller(connection, id, NONE, LONG).end();

        assertThat(after.replies()).isEqualTo(before.replies());
        assertThat(later.replies()).isEqualTo(before.replies());
        assertThat(asked).hasValue(2);
    }

    @Test
    void aConnectionThatCannotLogInAgainTakesNoMoreCommandsAndCastsNoDoubt() throws Exception {
        server.command("ACL", "SETUSER", "locks", "on", ">token-1", "~*", "+@all");
        AtomicInteger asked = new AtomicInteger();
        SharedConnection connection = loggedInConnection(() -> credentials("token-" + asked.incrementAndGet()));
        assertThat(new Caller(connection, PING, NONE, LONG).end().state()).isEqualTo(State.ANSWERED);

        env.putForward(TimeUnit.SECONDS.toNanos(540));
        Ticket ticket = new Caller(connection, TAKE, NONE, LONG).end();

        assertThat(ticket.state()).isEqualTo(State.REJECTED);
        assertThat(ticket.cause()).isNull();
        assertThat(connection.isRetired()).isTrue();
        assertThat(connection.isOpen()).isFalse();
        assertThat(suspicions).isEmpty();
        assertThat(server.command("GET", "k")).isNull();
    }

    @Test
    @Tag("deep")
    void aLeaderWhoseTimeIsUpHandsOnToTheNextAndKeepsItsReplyFromIt() throws Exception {
        SharedConnection connection = connection();
        Caller first = block(connection);
        Caller leader = queue(connection, take("second"), List.of(UNDO), Duration.ofSeconds(3));
        Caller next = queue(connection, RedisCommand.of("ECHO", "next"));
        server.command("SET", "k", "token");
        open("gate");
        first.end();

        assertThat(leader.end().state()).isEqualTo(State.LATE);
        assertThat(next.end.isDone()).isFalse();
        open("second");

        assertThat(next.end().replies()).containsExactly("next");
        await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .atMost(LONG)
                .until(() -> server.command("GET", "k") == null);
    }

    @Test
    void whoHasNotBeenServedGoesElsewhereWhenAConnectionIsRetiredAndWhoHasIsAnswered() throws Exception {
        SharedConnection connection = connection();
        Caller first = block(connection);
        Caller second = queue(connection, TAKE);

        connection.retire();

        assertThat(second.end().state()).isEqualTo(State.REJECTED);
        assertThat(second.end().cause()).isNull();
        assertThat(new Caller(connection, TAKE, NONE, LONG).end().state()).isEqualTo(State.REJECTED);
        open("gate");
        assertThat(first.end().replies()).containsExactly(List.of("gate", "x"));
        await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .atMost(LONG)
                .until(() -> !connection.isOpen());
        assertThat(server.command("GET", "k")).isNull();
    }

    @Test
    void aReplyThatStopsInTheMiddleMakesTheConnectionUseless() throws Exception {
        try (RoughProxy proxy = new RoughProxy(server.port())) {
            SharedConnection connection = connection(proxy.port());
            new Caller(connection, PING, NONE, LONG).end();
            // The time is up when the reply has begun to come, and not before the command is sent.
            StoppedClock clock = new StoppedClock();
            proxy.handle((to, piece) -> {
                clock.putForward(LONG.toNanos());
                to.write(piece, 0, piece.length / 2);
            });

            Ticket ticket = new Caller(connection, List.of(TAKE), List.of(UNDO), LONG, false, clock).end();

            assertThat(ticket.state()).isEqualTo(State.LATE);
            assertThat(connection.isOpen()).isFalse();
            await().pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(5))
                    .atMost(LONG)
                    .until(() -> server.command("GET", "k") == null);
        }
    }

    @Test
    void aCutBetweenTheRepliesToOneTicketLeavesItWithoutAnAnswer() throws Exception {
        try (RoughProxy proxy = new RoughProxy(server.port())) {
            SharedConnection connection = connection(proxy.port());
            new Caller(connection, PING, NONE, LONG).end();
            proxy.handle((to, piece) -> {
                to.write(piece, 0, "+OK\r\n".length());
                throw new IOException("cut on purpose");
            });
            List<RedisCommand> commands = List.of(TAKE, RedisCommand.of("INCR", "n"), RedisCommand.of("EXISTS", "l"));

            Ticket ticket = new Caller(connection, commands, List.of(UNDO), LONG, false).end();

            assertThat(ticket.state()).isEqualTo(State.BROKEN);
            assertThat(suspicions).hasSize(1);
        }
    }

    @Test
    void aTicketWithALateReplyAmongOthersIsUndoneAndTheNextGetsItsOwn() throws Exception {
        try (RoughProxy proxy = new RoughProxy(server.port())) {
            SharedConnection connection = connection(proxy.port());
            new Caller(connection, PING, NONE, LONG).end();
            Semaphore rest = new Semaphore(0);
            proxy.handle((to, piece) -> {
                int first = "+OK\r\n".length();
                to.write(piece, 0, first);
                rest.acquireUninterruptibly();
                to.write(piece, first, piece.length - first);
            });
            List<RedisCommand> commands = List.of(TAKE, RedisCommand.of("INCR", "n"), RedisCommand.of("EXISTS", "l"));
            // By a clock that stands still, the time for a reply begins when the commands have been sent.
            Caller late =
                    new Caller(connection, commands, List.of(UNDO), Duration.ofSeconds(1), false, new StoppedClock());
            awaitValue("n", "1");
            Caller next = new Caller(connection, RedisCommand.of("ECHO", "mine"), NONE, LONG);
            await().pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(1))
                    .atMost(LONG)
                    .until(() -> next.thread.getState() == Thread.State.TIMED_WAITING || late.end.isDone());

            assertThat(late.end().state()).isEqualTo(State.LATE);
            await().pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(5))
                    .atMost(LONG)
                    .until(() -> server.command("GET", "k") == null);
            rest.release(1000);
            Ticket ticket = next.end();
            assertThat(ticket.state()).isIn(State.ANSWERED, State.REJECTED);
            assertThat(ticket.replies()).isSubsetOf("mine");
        }
    }

    @Test
    void whatIsNoReplyMakesTheConnectionUseless() throws Exception {
        try (RoughProxy proxy = new RoughProxy(server.port())) {
            SharedConnection connection = connection(proxy.port());
            new Caller(connection, PING, NONE, LONG).end();
            proxy.handle((to, piece) -> to.write("what?\r\n".getBytes(StandardCharsets.UTF_8)));

            assertThat(new Caller(connection, PING, NONE, LONG).end().state()).isEqualTo(State.BROKEN);
            assertThat(connection.isRetired()).isTrue();
            assertThat(connection.isOpen()).isFalse();
            assertThat(suspicions).hasSize(1);
        }
    }

    @Test
    void whatComesUnaskedIsNotTakenForTheNextReply() throws Exception {
        try (RoughProxy proxy = new RoughProxy(server.port())) {
            SharedConnection connection = connection(proxy.port());
            new Caller(connection, PING, NONE, LONG).end();
            proxy.say("+unasked\r\n".getBytes(StandardCharsets.UTF_8));

            Ticket ticket = new Caller(connection, TAKE, NONE, LONG).end();

            assertThat(ticket.state()).isEqualTo(State.REJECTED);
            assertThat(connection.isOpen()).isFalse();
            assertThat(server.command("GET", "k")).isNull();
        }
    }

    @Test
    void aThreadThatIsAloneNeedsNoOther() throws Exception {
        SharedConnection connection = connection();
        Ticket ticket = new Ticket(env, List.of(PING), NONE, new Deadline(env, LONG), false);

        connection.carry(ticket);

        assertThat(ticket.replies()).containsExactly("PONG");
        assertThat(drivers()).isEmpty();
        assertThat(connection.users()).isZero();
    }

    private List<Thread> drivers() {
        return env.threads().stream().filter(Thread::isAlive).toList();
    }

    @Test
    @Tag("both-legs")
    void virtualThreadsAreServedByADriverThatEndsWithTheConnection() throws Exception {
        assumeThat(Runtime.version().feature())
                .as("virtual threads came with Java 21")
                .isGreaterThanOrEqualTo(21);
        SharedConnection connection = connection();
        List<FutureTask<Ticket>> ends = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            RedisCommand echo = RedisCommand.of("ECHO", "number-" + i);
            FutureTask<Ticket> end = new FutureTask<>(() -> {
                Thread.currentThread().interrupt();
                Ticket ticket = new Ticket(env, List.of(echo), NONE, new Deadline(env, LONG), false);
                connection.carry(ticket);
                return Thread.interrupted() ? ticket : null;
            });
            Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, end);
            ends.add(end);
        }

        for (int i = 0; i < ends.size(); i++) {
            assertThat(ends.get(i).get(20, TimeUnit.SECONDS).replies()).containsExactly("number-" + i);
        }
        assertThat(drivers()).hasSize(1);
        connection.retire();
        await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .atMost(LONG)
                .until(() -> drivers().isEmpty());
    }

    @Test
    void aThousandThreadsAreServedOverOneConnection() throws Exception {
        SharedConnection connection = connection();
        List<Caller> callers = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            callers.add(new Caller(connection, RedisCommand.of("INCR", "n"), NONE, LONG.multipliedBy(3)));
        }

        for (Caller each : callers) {
            assertThat(each.end.get(60, TimeUnit.SECONDS).state()).isEqualTo(State.ANSWERED);
        }
        assertThat(server.command("GET", "n")).isEqualTo("1000");
    }
}
