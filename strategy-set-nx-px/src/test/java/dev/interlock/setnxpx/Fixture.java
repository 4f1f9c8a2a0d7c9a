// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LockConfig;
import dev.interlock.LockOptions;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.redis.waiting.WaitingScripts;
import dev.interlock.testservers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** A server of its own for one test, the factories made for it, and the threads started in it. */
public final class Fixture implements AutoCloseable {
    /** Long enough for any machine, since it is only ever waited out by a test that fails. */
    public static final Duration PATIENCE = Duration.ofSeconds(60);

    public final RedisServer server = RedisServer.start();
    private final String client;
    private final List<DistributedLockFactory> factories = new ArrayList<>();

    public Fixture(String client) {
        this.client = client;
    }

    public DistributedLockFactory factory() {
        return factory(config -> config);
    }

    public DistributedLockFactory factory(UnaryOperator<LockConfig.Builder> tweak) {
        return factory(server.uri(), tweak);
    }

    public DistributedLockFactory factory(String uri, UnaryOperator<LockConfig.Builder> tweak) {
        // The first request opens the connection and loads classes, which a busy machine takes long for.
        LockConfig.Builder config = LockConfig.builder()
                .endpoints(uri)
                .commandTimeout(PATIENCE)
                .option("client", client)
                // On a slow machine the card would be written between the commands that a test counts.
                .option("card", "false");
        DistributedLockFactory factory =
                DistributedLocks.getInstance("set-nx-px", tweak.apply(config).build());
        factories.add(factory);
        return factory;
    }

    public static LockOptions lease(Duration lease) {
        return LockOptions.builder().lease(lease).build();
    }

    /**
     * A lease that nobody renews, so that whoever was handed the lock has all of it, and not two seconds, in which a
     * busy machine may not come to renew it.
     */
    static LockOptions whole(Duration lease) {
        return LockOptions.builder().lease(lease).renewal(false).build();
    }

    /** A message as a script sends it to the owner of a token. */
    static String message(String token, String text) {
        return WaitingScripts.proof(token, text) + " " + text;
    }

    /** Takes a lock as another client would, without an expiry. */
    public void holdElsewhere(String name) {
        server.command("SET", key(name), "somebody-else");
    }

    /** Marks the word of a holder, as a waiter would. */
    void mark(String name) {
        server.command("APPEND", key(name), LockWord.MARK);
    }

    /** Waits until whoever waits has marked the word of a holder. */
    void awaitMark(String name) {
        await().atMost(PATIENCE)
                .until(() -> String.valueOf(server.command("GET", key(name))).endsWith(LockWord.MARK));
    }

    /**
     * Renews a lease of a minute, as soon as there is something to renew, and again if that took longer than a second.
     */
    public static void renewByHand(Lease lease) {
        Duration atLeast = Duration.ofMillis(58_400);
        LockBackendException tooSlow = null;
        for (int i = 0; i < 20; i++) {
            await().atMost(PATIENCE).until(() -> lease.remaining().compareTo(atLeast) < 0);
            try {
                lease.ensureValid(atLeast);
                return;
            } catch (LockBackendException e) {
                // What is refused stays so.
                if (e.reason() == Reason.REFUSED) {
                    throw e;
                }
                tooSlow = e;
            }
        }
        throw new AssertionError("never renewed within a second", tooSlow);
    }

    /**
     * Takes a lock, gives it back, and returns the lease that it had. Again if it was lost meanwhile: what is handed
     * over is good for two seconds, in which a busy machine may not come to renew it.
     */
    public static Lease pass(DistributedLock lock) {
        LeaseLostException tooSlow = null;
        for (int i = 0; i < 5; i++) {
            lock.lock();
            Optional<Lease> lease = lock.lease();
            try {
                lock.unlock();
                return lease.orElseThrow();
            } catch (LeaseLostException e) {
                tooSlow = e;
            }
        }
        throw new AssertionError("lost each time", tooSlow);
    }

    /**
     * Has a client draw tokens by time and then by counting. What a machine takes longer for than a second is drawn by
     * time.
     */
    public static void passCounting(DistributedLock lock) {
        for (int i = 0; i < 100; i++) {
            if (token(lock) + 1 == token(lock)) {
                return;
            }
        }
        throw new AssertionError("never counted");
    }

    private static long token(DistributedLock lock) {
        return pass(lock).fencingToken().orElseThrow();
    }

    /** A thread that passes a lock. */
    public static FutureTask<Lease> passing(DistributedLock lock) {
        return start(() -> pass(lock));
    }

    /** Draws a token for each claim until one is granted; a connection that has ended may cost a request or two. */
    static long draw(LeaseProtocol protocol, Supplier<Claim> claims) {
        for (int i = 0; i < 20; i++) {
            Claim claim = claims.get();
            Attempt attempt = protocol.attempt(claim);
            giveBack(protocol, claim);
            if (attempt instanceof Attempt.Granted granted) {
                return granted.firstFence().orElseThrow();
            }
        }
        throw new AssertionError("never granted");
    }

    /** Gives a lock back over connections that may have ended, as the engine does. */
    static void giveBack(LeaseProtocol protocol, Claim claim) {
        for (int i = 0; i < 20; i++) {
            try {
                protocol.release(claim);
                return;
            } catch (LockBackendException e) {
                assertThat(e.reason()).isNotEqualTo(Reason.REFUSED);
            }
        }
        throw new AssertionError("never given back");
    }

    public static String key(String name) {
        return "interlock:{" + name + "}";
    }

    public boolean isTaken(String name) {
        return server.command("GET", key(name)) != null;
    }

    /** Makes sure that both sides know the scripts and have their connections, so that what follows can be counted. */
    public static void warmUp(DistributedLockFactory factory) {
        pass(factory.getLock("warm-up", lease(Duration.ofMinutes(5))));
    }

    public static <T> FutureTask<T> start(Callable<T> task) {
        FutureTask<T> future = new FutureTask<>(task);
        Thread thread = new Thread(future, "actor");
        thread.setDaemon(true);
        thread.start();
        return future;
    }

    /** Starts a virtual thread, which Java 17 cannot name. */
    public static <T> FutureTask<T> startVirtual(Callable<T> task) throws ReflectiveOperationException {
        FutureTask<T> future = new FutureTask<>(task);
        Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, future);
        return future;
    }

    /** Waits until as many clients wait for a lock: in the list, or listening on its channel. */
    public void awaitWaiters(String name, long count) {
        await().atMost(PATIENCE).until(() -> waiters(name) == count);
    }

    /** How many clients wait for a lock. */
    long waiters(String name) {
        List<?> subscribers = (List<?>) server.command("PUBSUB", "NUMSUB", key(name) + ":freed");
        return (Long) subscribers.get(1) + (Long) server.command("ZCARD", key(name) + ":waiting");
    }

    @Override
    public void close() {
        factories.forEach(DistributedLockFactory::close);
        server.close();
    }
}
