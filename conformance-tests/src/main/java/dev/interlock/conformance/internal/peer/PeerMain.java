// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.peer;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LockConfig;
import dev.interlock.LockOptions;
import dev.interlock.conformance.history.Recorder;
import dev.interlock.conformance.internal.load.Load;
import dev.interlock.spi.LockStrategyProvider;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/** The main class of the process of a {@link Peer}: reads one request per line, and answers each with one line. */
public final class PeerMain {
    static final String FAILED = "failed: ";

    /** The answer to a request for a lock whose lease was over before it could be used, or that failed otherwise. */
    static final String NOT_GRANTED = "not granted: ";

    /** The request to close the factory; the process then waits for the configuration of the next one. */
    static final String CLOSE = "close";

    static final String CLOSED = "closed";

    /** The argument of a process that shall not wait for its server: it only loads classes, for an archive. */
    static final String AT_ONCE = "at-once";

    /** Stands between the names of a lock over several; the names of the kit have none. */
    static final String BETWEEN_NAMES = "\n";

    private static final String PROPERTIES = "interlock.";
    private static final long PAUSE_NANOS = Duration.ofMillis(20).toNanos();

    private final DistributedLockFactory factory;
    private final Map<String, DistributedLock> locks = new ConcurrentHashMap<>();
    private final Map<String, Lease> leases = new ConcurrentHashMap<>();
    private final Map<String, AtomicInteger> losses = new ConcurrentHashMap<>();

    private PeerMain(DistributedLockFactory factory) {
        this.factory = factory;
    }

    public static void main(String[] args) throws IOException, ReflectiveOperationException {
        PrintStream answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        // Set before any class that reads one of them is loaded.
        setProperties(requests.readLine());
        String config = requests.readLine();
        while (config != null && serve(args, ConfigText.read(config), requests, answers)) {
            config = requests.readLine();
        }
        // A strategy may have left threads behind.
        System.exit(0);
    }

    /**
     * Is a client until it is asked to close, and answers that when nothing of the client is left. Returns false if the
     * server could not be reached.
     */
    private static boolean serve(String[] args, LockConfig config, BufferedReader requests, PrintStream answers)
            throws IOException, ReflectiveOperationException {
        LockStrategyProvider provider = Class.forName(args[0])
                .asSubclass(LockStrategyProvider.class)
                .getDeclaredConstructor()
                .newInstance();
        try (DistributedLockFactory factory = DistributedLocks.getInstance(provider, config)) {
            String failure = connect(
                    factory.getLock("conformance " + ProcessHandle.current().pid() + " to connect"),
                    !List.of(args).contains(AT_ONCE));
            answers.println(line(failure));
            if (!failure.isEmpty()) {
                return false;
            }
            PeerMain peer = new PeerMain(factory);
            String request = requests.readLine();
            while (request != null && !request.equals(CLOSE)) {
                answers.println(line(peer.answer(request.split(" ", -1))));
                request = requests.readLine();
            }
        }
        answers.println(CLOSED);
        return true;
    }

    /** An answer is one line, whatever an exception says. */
    private static String line(String answer) {
        return answer.replaceAll("\\R", " ");
    }

    /** The kit's system properties, as one line, so that a child behaves as this JVM does. */
    static String properties() {
        Properties all = System.getProperties();
        return all.stringPropertyNames().stream()
                .filter(name -> name.startsWith(PROPERTIES))
                .map(name -> encode(name) + "=" + encode(all.getProperty(name)))
                .collect(Collectors.joining(" "));
    }

    private static void setProperties(String line) {
        for (String entry : line.split(" ", -1)) {
            int equals = entry.indexOf('=');
            if (equals > 0) {
                System.setProperty(decode(entry.substring(0, equals)), decode(entry.substring(equals + 1)));
            }
        }
    }

    /**
     * Makes the client open its connections. In a JVM that has just started this takes longer than a short lease, above
     * all if several start at once. Returns why it fails, or an empty text.
     */
    private static String connect(DistributedLock lock, boolean patient) {
        // Less than the time that {@link Peer} waits for the answer.
        long until = System.nanoTime() + Peer.LIMIT.dividedBy(2).toNanos();
        while (true) {
            try {
                lock.lock();
                lock.unlock();
                return "";
            } catch (LockBackendException e) {
                if (!patient || System.nanoTime() - until >= 0) {
                    return FAILED + e.getMessage();
                }
                // A server that is gone refuses at once: without a pause this would keep a processor busy.
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    public static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    static String decode(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    private String answer(String[] request) {
        try {
            return switch (request[0]) {
                case "lock", "lockToRead", "lockToWrite", "lockSeveral" ->
                    lock(
                            request[0],
                            decode(request[1]),
                            LockOptions.builder()
                                    .lease(Duration.ofMillis(Long.parseLong(request[2])))
                                    .renewal(Boolean.parseBoolean(request[3]))
                                    .build());
                case "tryLock" -> Boolean.toString(lock(decode(request[1])).tryLock());
                case "unlock" -> unlock(decode(request[1]));
                case "await" -> await(decode(request[1]), decode(request[2]));
                case "signal" -> signal(decode(request[1]), decode(request[2]), true);
                case "signalHolding" -> signal(decode(request[1]), decode(request[2]), false);
                case "isHeld" -> Boolean.toString(lock(decode(request[1])).isHeldByCurrentThread());
                case "losses" -> Integer.toString(losses(decode(request[1])).get());
                case "storm" ->
                    storm(
                            decode(request[1]),
                            Integer.parseInt(request[2]),
                            LockOptions.builder()
                                    .lease(Duration.ofMillis(Long.parseLong(request[3])))
                                    .build());
                case "load" ->
                    load(
                            decode(request[1]),
                            request[2],
                            Integer.parseInt(request[3]),
                            Integer.parseInt(request[4]),
                            Path.of(decode(request[5])));
                case "fencingToken" ->
                    Long.toString(lease(decode(request[1])).fencingToken().orElseThrow());
                case "threadId" -> Long.toString(Thread.currentThread().getId());
                default -> FAILED + "no such request";
            };
        } catch (RuntimeException e) {
            return FAILED + e;
        }
    }

    private DistributedLock lock(String name) {
        return locks.computeIfAbsent(name, factory::getLock);
    }

    private AtomicInteger losses(String name) {
        return losses.computeIfAbsent(name, it -> new AtomicInteger());
    }

    private Lease lease(String name) {
        Lease lease = leases.get(name);
        if (lease == null) {
            throw new IllegalStateException("lock \"" + name + "\" was never held here");
        }
        return lease;
    }

    private DistributedLock made(String request, String name, LockOptions options) {
        return switch (request) {
            case "lockToRead" -> factory.getReadWriteLock(name, options).readLock();
            case "lockToWrite" -> factory.getReadWriteLock(name, options).writeLock();
            case "lockSeveral" -> factory.getLock(List.of(name.split(BETWEEN_NAMES, -1)), options);
            default -> factory.getLock(name, options);
        };
    }

    /** Locks, and makes the lock or the side that was asked for the one that other requests mean by the name. */
    private String lock(String request, String name, LockOptions options) {
        DistributedLock lock = made(request, name, options);
        locks.put(name, lock);
        try {
            lock.lock();
        } catch (LockBackendException e) {
            return (e.reason() == LockBackendException.Reason.REFUSED ? FAILED : NOT_GRANTED) + e;
        }
        Optional<Lease> held = lock.lease();
        if (held.isEmpty()) {
            return NOT_GRANTED + "the lease was over before it was read";
        }
        Lease lease = held.get();
        leases.put(name, lease);
        lease.onLoss(cause -> losses(name).incrementAndGet());
        OptionalLong fence = lease.fencingToken();
        return fence.isPresent() ? Long.toString(fence.getAsLong()) : "";
    }

    @SuppressWarnings("WaitNotInLoop") // The rule checks this single wait.
    private String await(String name, String condition) {
        lock(name).condition(condition).awaitUninterruptibly();
        return "";
    }

    private String signal(String name, String condition, boolean locks) {
        DistributedLock lock = lock(name);
        if (locks) {
            lock.lock();
        }
        lock.condition(condition).signal();
        if (locks) {
            lock.unlock();
        }
        return "";
    }

    private String unlock(String name) {
        try {
            lock(name).unlock();
            return "";
        } catch (IllegalMonitorStateException e) {
            return e.getClass().getSimpleName();
        }
    }

    private String load(String name, String client, int threads, int rounds, Path history) {
        try (Recorder recorder = Recorder.toFile(history)) {
            new Load(recorder)
                    .client(client, factory)
                    .names(name)
                    .threads(threads)
                    .rounds(rounds)
                    .run();
        }
        return "";
    }

    public static String stormName(String name, int thread) {
        return name + " " + thread;
    }

    private String storm(String name, int threads, LockOptions options) {
        CountDownLatch atIt = new CountDownLatch(threads);
        for (int i = 0; i < threads; i++) {
            DistributedLock lock = factory.getLock(stormName(name, i), options);
            Thread thread = new Thread(() -> {
                while (true) {
                    try {
                        lock.lock();
                        lock.unlock();
                    } catch (LockBackendException | LeaseLostException e) {
                        // On a busy machine a short lease may run out at once.
                    }
                    atIt.countDown();
                }
            });
            thread.setDaemon(true);
            thread.start();
        }
        try {
            atIt.await();
        } catch (InterruptedException e) {
            return FAILED + e;
        }
        return "";
    }
}
