// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab.play;

import dev.interlock.conformance.history.Event;
import dev.interlock.conformance.history.Verdict;
import dev.interlock.testservers.FaultProxy;
import dev.interlock.tools.backends.Closing;
import dev.interlock.tools.backends.ScratchDirectory;
import dev.interlock.tools.backends.ToolException;
import dev.interlock.tools.lab.evidence.Evidence;
import dev.interlock.tools.lab.evidence.Moment;
import dev.interlock.tools.lab.evidence.Moment.What;
import dev.interlock.tools.lab.evidence.Timeline;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One cell of the lab: servers, a holder, a rival, and the timeline. Used by one thread.
 *
 * <p>The steps are those that all scripts have in common. The lab chooses the worst course: as soon as a rival has
 * written, the holder writes too, if its lease still looks valid to it.
 */
public final class LabStage implements AutoCloseable {
    static final String HOLDER = "holder";
    static final String RIVAL = "rival";
    static final String LAB = "lab";

    /** The name of the lock, which is in the names of all its keys. */
    static final String LOCK = "lab-lock";

    private static final String WARM_UP_LOCK = "lab-warm";

    /** One JVM starts at a time: a start needs a whole core, and several would disturb the cells that are under way. */
    private static final Semaphore STARTS = new Semaphore(1);

    /** The time for a process to close its connections before another one is started instead. */
    private static final Duration ENDING = Duration.ofSeconds(2);

    /** The time from one renewal to the next, in leases. */
    private static final double BETWEEN_RENEWALS = 1.0 / 3;

    private final Contestant contestant;
    private final Duration lease;
    private final Random random;
    private final LabProcesses processes;
    private final ScratchDirectory directory = ScratchDirectory.create("interlock-lab");
    private final Timeline timeline = new Timeline();
    private final LabClient.Stores stores = new LabClient.Stores();
    private final List<LabServer> servers = new ArrayList<>();
    private final List<LabClient> clients = new ArrayList<>();
    private final Set<String> usualKeys = new HashSet<>();
    private List<LabServer> ofRival = List.of();
    private @Nullable LabGroup group;
    private boolean bentClocks;
    private Map<String, String> optionsOfRival = Map.of();
    private Duration leaseOfRival;
    private @Nullable Heartbeat heartbeat;
    private boolean lostForNoReason;
    private @Nullable LabClient holder;
    private @Nullable LabClient rival;

    public LabStage(Contestant contestant, Duration lease, long seed, LabProcesses processes) {
        this.contestant = contestant;
        this.lease = lease;
        this.leaseOfRival = lease;
        this.processes = processes;
        this.random = new Random(seed);
    }

    /** Returns the length of so many leases. */
    Duration leases(double number) {
        return Duration.ofMillis(Math.round(lease.toMillis() * number));
    }

    /** The bound of a wait for something that should happen: longer than any strategy needs by itself. */
    Duration patience() {
        return leases(5);
    }

    /** Makes the clocks of clients that start later adjustable. */
    void bendClocks() {
        bentClocks = true;
    }

    void startServers(String... arguments) {
        for (int i = 0; i < contestant.servers(); i++) {
            servers.add(new LabServer(arguments));
        }
    }

    /** Gives a client that starts later other options than the holder, as in a rolling deploy. */
    void mixOptions() {
        optionsOfRival = contestant.otherOptions();
        if (optionsOfRival.isEmpty()) {
            throw new NotConcernedException("the strategy has no options in which clients may differ");
        }
    }

    /** Makes the rival accept the votes of servers that have just started. */
    void letRivalTrust() {
        optionsOfRival = Map.of("cold-start", "trust");
    }

    /** Gives the rival a much shorter lease than the holder's, and no longer ones. */
    void shortenLeasesOfRival() {
        leaseOfRival = leases(0.25);
        optionsOfRival = Map.of("max-lease", leaseOfRival.toMillis() + "ms");
    }

    /** Starts the rival before the holder, so that it meets servers that nobody else has used. */
    void startRivalFirst() {
        ofRival = servers();
        warmUp(RIVAL, uris(RIVAL, servers));
        warmUp(HOLDER, uris(HOLDER, servers));
        noteUsualKeys();
    }

    /** Starts the clients, each of which sees the servers that are named for it. */
    void startClients(List<LabServer> ofHolder, List<LabServer> ofRival) {
        this.ofRival = ofRival;
        warmUp(HOLDER, uris(HOLDER, ofHolder));
        warmUp(RIVAL, uris(RIVAL, ofRival));
        noteUsualKeys();
    }

    /** Starts servers that belong together, and the clients. */
    <T extends LabGroup> T startClients(Supplier<T> start) {
        T started = start.get();
        group = started;
        warmUp(HOLDER, started.uri(HOLDER));
        warmUp(RIVAL, started.uri(RIVAL));
        noteUsualKeys();
        return started;
    }

    private void noteUsualKeys() {
        keysOfServers().forEach(keys -> keys.keySet().forEach(key -> usualKeys.add(key.replace(WARM_UP_LOCK, LOCK))));
    }

    private List<Map<String, Long>> keysOfServers() {
        List<Map<String, Long>> keys = new ArrayList<>();
        servers.forEach(server -> keys.add(server.keys()));
        if (group != null) {
            group.primaries().forEach(server -> keys.add(LabServer.keysOf(server)));
        }
        return keys;
    }

    private void warmUp(String who, String endpoints) {
        LabClient client = client(who);
        if (who.equals(HOLDER)) {
            holder = client;
        } else {
            rival = client;
        }
        if (client.isWarm()) {
            client.warmUp(endpoints);
            return;
        }
        STARTS.acquireUninterruptibly();
        try {
            client.warmUp(endpoints);
        } finally {
            STARTS.release();
        }
    }

    private LabClient client(String who) {
        Map<String, String> options = new TreeMap<>(contestant.options(lease));
        Duration leaseOfClient = lease;
        if (who.equals(RIVAL)) {
            options.putAll(optionsOfRival);
            leaseOfClient = leaseOfRival;
        }
        LabClient client = LabClient.start(
                new LabClientMain.Task(
                        who,
                        LabClientMain.reference(contestant.candidate().provider()),
                        options,
                        LOCK,
                        WARM_UP_LOCK,
                        leaseOfClient.toMillis(),
                        Contestant.commandTimeout(lease).toMillis(),
                        directory.resolve(who + ".jsonl").toString()),
                bentClocks,
                processes,
                timeline,
                stores);
        clients.add(client);
        return client;
    }

    static String uris(String who, List<LabServer> servers) {
        return servers.stream().map(server -> server.proxy(who).uri()).collect(Collectors.joining(","));
    }

    List<LabServer> servers() {
        return List.copyOf(servers);
    }

    LabClient holder() {
        return started(holder);
    }

    LabClient rival() {
        return started(rival);
    }

    private static LabClient started(@Nullable LabClient client) {
        if (client == null) {
            throw new IllegalStateException("startClients() comes first");
        }
        return client;
    }

    /** The holder gets the lock. Then up to half a lease passes, in which it is renewed; the seed decides how much. */
    void holderTakes() {
        holder().contend();
        if (!holder().isGranted(patience().plus(leases(5)))) {
            throw new ToolException("the holder did not get a free lock");
        }
        pause(random.nextInt((int) leases(0.5).toMillis()));
    }

    /** The rival asks for the lock, which is held, and begins to wait. */
    void rivalWaits() {
        rival().contend();
        pause(leases(0.1).toMillis());
    }

    static void pause(long millis) {
        long until = System.nanoTime() + Duration.ofMillis(millis).toNanos();
        for (long rest = until - System.nanoTime(); rest > 0; rest = until - System.nanoTime()) {
            LockSupport.parkNanos(rest);
        }
    }

    void pause(Duration time) {
        pause(time.toMillis());
    }

    /** Lets time pass until so much is over since the fault struck. */
    void pauseSinceStrike(Duration time) {
        long now = System.nanoTime();
        timeline.moments().stream()
                .filter(moment -> moment.what() == What.STRUCK)
                .findFirst()
                .ifPresent(struck -> pause(time.minusNanos(now - struck.nanos())));
    }

    /**
     * Plays a fault while the holder still has the lock. The fault must strike quickly, unless servers need the time.
     */
    void strike(String what, Runnable fault) {
        boolean heldOn = timeline.moments().stream().noneMatch(moment -> moment.what() == What.TOLD);
        if (!heldOn) {
            throw new DisturbedException("a lease ran out before the fault struck");
        }
        note(What.STRUCK, what);
        fault.run();
    }

    /** Fails if more leases have passed since an event than the time plan of the cell allows. */
    private void requireSince(What beginning, double most, String what) {
        long now = System.nanoTime();
        timeline.moments().stream()
                .filter(moment -> moment.what() == beginning)
                .map(moment -> now - moment.nanos())
                .filter(nanos -> nanos > leases(most).toNanos())
                .findFirst()
                .ifPresent(nanos -> {
                    throw new DisturbedException(
                            what + " took " + Duration.ofNanos(nanos).toMillis() + " ms");
                });
    }

    /** Begins to watch whether the machine stands still. */
    void watchMachine() {
        heartbeat = Heartbeat.start();
    }

    /** Notes whether the holder has lost the lock in a cell whose fault is no reason for that. */
    void noteWhetherHeld() {
        lostForNoReason = !holder().look();
    }

    /**
     * Fails if the holder has lost the lock in a cell whose fault is no reason for that. Such a cell says nothing if
     * the machine stood still for so long that a renewal may have been left out.
     *
     * @throws DisturbedException if the holder has lost the lock, and the machine stood still
     * @throws ToolException if the holder has lost the lock, and the machine did not stand still
     */
    public void requireHeld() {
        if (lostForNoReason) {
            String loss = "the holder lost the lock, for which this fault is no reason";
            if (heartbeat != null && heartbeat.longestStandstill().compareTo(leases(BETWEEN_RENEWALS)) > 0) {
                throw new DisturbedException(loss);
            }
            throw new ToolException(loss);
        }
    }

    void heal(String what, Runnable cure) {
        cure.run();
        note(What.HEALED, what);
    }

    private void note(What what, String detail) {
        timeline.add(Moment.now(LAB, what, null, detail));
    }

    /** If the rival gets the lock within a time, it writes. It keeps the lock. */
    boolean rivalWritesWithin(Duration limit) {
        boolean granted = rival().isGranted(limit);
        if (granted) {
            rival().lookAndWrite();
        }
        return granted;
    }

    void each(Consumer<LabServer> action) {
        servers.forEach(action);
    }

    /** Does something to all servers at the same time. */
    void eachAtOnce(Consumer<LabServer> action) {
        CompletableFuture.allOf(servers.stream()
                        .map(server -> CompletableFuture.runAsync(
                                () -> action.accept(server), task -> new Thread(task, "lab-server").start()))
                        .toArray(CompletableFuture[]::new))
                .join();
    }

    /** Does something to all lines between a client and the servers. */
    void lines(String who, Consumer<FaultProxy> action) {
        servers.forEach(server -> action.accept(server.proxy(who)));
    }

    /**
     * Lies in wait on all lines between the holder and the servers for its next command on the lock.
     *
     * @return waits until that has come on one line, and then a moment for the other lines
     */
    Runnable trapHolder(FaultProxy.Trap trap) {
        List<CompletableFuture<Void>> traps = new ArrayList<>();
        lines(HOLDER, line -> traps.add(line.trap(LOCK, trap)));
        return () -> {
            try {
                CompletableFuture.anyOf(traps.toArray(CompletableFuture[]::new))
                        .get(patience().toMillis(), TimeUnit.MILLISECONDS);
            } catch (InterruptedException | ExecutionException | TimeoutException e) {
                throw new NotConcernedException("the holder sends no command about the lock there");
            }
            if (traps.size() > 1) {
                pause(leases(0.02));
            }
        };
    }

    /** Ends all that is wrong with the lines between the holder and the servers. */
    void mendLines() {
        lines(HOLDER, FaultProxy::heal);
        lines(HOLDER, FaultProxy::accept);
    }

    /**
     * Data is lost while the holder has the lock. A new rival asks for it, and the holder's requests are slow
     * meanwhile, as in any network: only by luck would the next renewal tell the holder in time.
     */
    void dataIsLost(String what, Runnable loss) {
        rivalComes(what, loss, leases(0.6));
    }

    /** As {@link #dataIsLost}, for a rival that gets the lock at once or not at all. */
    void rivalComes(String what) {
        rivalComes(what, () -> {}, leases(0.4));
    }

    private void rivalComes(String what, Runnable loss, Duration limit) {
        strike(what, () -> {
            lines(HOLDER, FaultProxy::blackhole);
            loss.run();
        });
        rival().open(uris(RIVAL, ofRival));
        rival().contend();
        requireSince(What.STRUCK, 0.3, "the fault and the coming of the rival");
        boolean taken = rivalWritesWithin(limit);
        holder().lookAndWrite();
        requireSince(What.STRUCK, 0.9, "the fault and the writes after it");
        heal("what the holder sends arrives", this::mendLines);
        finish(taken);
    }

    /**
     * Ends the cell: the holder gives the lock back and asks again, and each client that has the lock gives it back. So
     * each living client has had the lock, and nobody has it in the end.
     *
     * @param taken whether the rival has it, and has written
     */
    void finish(boolean taken) {
        if (holder().isAlive()) {
            holder().release();
        }
        finishAfterRelease(taken);
    }

    /** As {@link #finish}, after the holder has given the lock back. */
    void finishAfterRelease(boolean taken) {
        boolean rivalHas = taken;
        if (holder().isAlive()) {
            if (!rivalHas && rival().isAlive()) {
                rivalHas = rivalWritesWithin(patience());
            }
            holder().contend();
            // A release that came too late would let the holder in beside the rival.
            if (rivalHas && holder().isGranted(leases(0.75))) {
                holder().lookAndWrite();
            }
        }
        if (rivalHas) {
            rival().release();
        }
        if (holder().isAlive() && holder().isGranted(patience())) {
            holder().release();
        }
    }

    /**
     * Both ask, and each writes and gives the lock back when it gets it; the first keeps it until late releases have
     * arrived.
     */
    void finishWithWhoeverIsFirst() {
        long giveUp = System.nanoTime() + patience().toNanos();
        Duration glance = leases(0.01);
        Duration untilLateReleases = leases(0.5);
        while (System.nanoTime() - giveUp < 0) {
            if (holder().isGranted(glance)) {
                boolean both = rivalWritesWithin(untilLateReleases);
                holder().lookAndWrite();
                finish(both);
                return;
            }
            if (rival().isGranted(glance)) {
                boolean both = holder().isGranted(untilLateReleases);
                rival().lookAndWrite();
                rival().release();
                if (both || holder().isGranted(patience())) {
                    holder().lookAndWrite();
                    holder().release();
                }
                return;
            }
        }
    }

    public Evidence evidence(boolean fenced) {
        long end = System.nanoTime();
        List<Moment> moments = timeline.moments();
        List<Event> history = Histories.of(clients, moments);
        Verdict verdict = Histories.judge(history, fenced);
        boolean onlyOverlaps =
                verdict.outcome() == Verdict.Outcome.VIOLATED && fenced && Histories.onlyOverlaps(history);
        return Evidence.of(lease, moments, end, verdict, onlyOverlaps, leftBehind());
    }

    /** Writes the clients' histories to files of the given name in a directory. */
    public void writeHistory(Path directory, String name) {
        Histories.write(Histories.of(clients, timeline.moments()), LOCK, directory, name);
    }

    /** Returns the keys of the lock that are left, without those that every released lock leaves behind. */
    private List<String> leftBehind() {
        List<String> left = new ArrayList<>();
        for (Map<String, Long> keys : keysOfServers()) {
            keys.forEach((key, millis) -> {
                if (key.contains(LOCK) && !usualKeys.contains(key)) {
                    left.add(key + (millis < 0 ? " for ever" : " for " + millis + " ms"));
                }
            });
        }
        return left;
    }

    /** Gives back the processes that can serve another cell, ends all others, and deletes their files. */
    @Override
    public void close() {
        List<AutoCloseable> parts = new ArrayList<>();
        clients.forEach(client -> parts.add(client::beginToEnd));
        clients.forEach(client -> parts.add(() -> client.end(ENDING)));
        parts.addAll(servers);
        if (group != null) {
            parts.add(group);
        }
        if (heartbeat != null) {
            parts.add(heartbeat);
        }
        parts.add(directory);
        Closing.all(parts);
    }
}
