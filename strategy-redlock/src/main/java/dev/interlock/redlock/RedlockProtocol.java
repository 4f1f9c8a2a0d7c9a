// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.DistributedLockFactory;
import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LockConfig;
import dev.interlock.ServerStatus;
import dev.interlock.engine.LockEngine;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.engine.protocol.Watch;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.inspect.FactoryCards;
import dev.interlock.redlock.Request.Answer;
import dev.interlock.redlock.release.Lateness;
import dev.interlock.redlock.release.Restorations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The lock of a majority of independent Redis servers: on each of them a key that holds the owner token and has the
 * lease as its time to live.
 *
 * @see <a href="https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/">Distributed locks with
 *     Redis</a>, "The Redlock algorithm"
 */
final class RedlockProtocol implements LeaseProtocol {
    /**
     * The number of leases that one script renews or releases; such a script keeps a server busy for well under a
     * millisecond.
     */
    private static final int BATCH = 256;

    private final Environment env;
    private final Quorum quorum;
    private final Settings settings;
    private final Scripts scripts;
    private final AttemptReport.Listeners reports;
    private final LeadQueue queue;
    private final FactoryCards cards;
    private final boolean restores;
    private final Restorations restorations = new Restorations();
    private final Duration lease;
    private final Duration timeout;

    /** A server, and its name in messages. */
    record Server(String name, RedisNode node) {
        /** Returns host and port of the name, without scheme and database. */
        String address() {
            return address(name);
        }

        static String address(String name) {
            return name.replaceFirst("^[a-z]+://([^@]*@)?", "")
                    .replaceFirst("/.*", "")
                    .replace(' ', '-');
        }
    }

    /** Creates a node that other nodes have announced. */
    interface Joining {
        /**
         * Makes the node.
         *
         * @param address host and port
         * @return the server, to which nobody has connected yet
         */
        Server join(String address);

        /** Makes all the nodes, or none: if one cannot be made, those before it are closed. */
        default List<Server> joinAll(List<String> addresses) {
            List<Server> servers = new ArrayList<>();
            try {
                for (String address : addresses) {
                    servers.add(join(address));
                }
            } catch (RuntimeException | Error e) {
                servers.forEach(server -> server.node().close());
                throw e;
            }
            return List.copyOf(servers);
        }
    }

    RedlockProtocol(
            List<Server> servers,
            Joining joining,
            Settings settings,
            LockConfig config,
            Environment env,
            AttemptReport.Listeners reports) {
        this.env = env;
        this.settings = settings;
        this.scripts = new Scripts(settings.wire(), config.keyPrefix(), settings.fencing(), config.waitCeiling());
        this.quorum = new Quorum(
                servers,
                joining,
                settings,
                settings.births(
                        env,
                        Scripts.birthRecord(config.keyPrefix()),
                        servers.stream().map(Server::address).toList()),
                config.commandTimeout(),
                env);
        this.reports = reports;
        this.queue = new LeadQueue(env, quorum, settings, scripts, nodes());
        this.cards = new FactoryCards(this::writeCard, config, env);
        this.restores = settings.maxLease().isPresent();
        this.lease = config.lockDefaults().lease();
        this.timeout = config.commandTimeout();
    }

    static DistributedLockFactory newFactory(
            List<Server> servers,
            Joining joining,
            Settings settings,
            LockConfig config,
            Environment env,
            @Nullable Consumer<AttemptReport> onAttempt) {
        RedlockProtocol protocol = new RedlockProtocol(
                servers, joining, settings, config, env, AttemptReport.Listeners.of(config, onAttempt));
        return LockEngine.newFactory(
                RedlockStrategyProvider.NAME, settings.profile(servers.size()), protocol, config, env);
    }

    @Override
    public Attempt attempt(Claim claim) {
        Optional<String> whyNot = settings.whyNot(claim.lease());
        if (whyNot.isPresent()) {
            return new Attempt.Failed(new LockBackendException(Reason.REFUSED, whyNot.get()));
        }
        try {
            requireNoClash();
        } catch (LockBackendException e) {
            return new Attempt.Failed(e);
        }
        Attempt attempt = queue.attempt(claim);
        cards.attempted(claim, attempt);
        return attempt;
    }

    /** Sends the card of this factory to each node, without waiting for answers. */
    private void writeCard(String key, String text, long lifeMillis) {
        RedisCommand set = RedisCommand.of("SET", key, text, "PX", Long.toString(lifeMillis));
        for (int i = 0; i < quorum.size(); i++) {
            if (quorum.isListed(i)) {
                sendOnly(i, recordId -> set, Request.Kind.OTHER);
            }
        }
    }

    /** Sends a request whose answer nobody waits for. */
    private void sendOnly(int node, Request.Wording wording, Request.Kind kind) {
        Request request = new Request(wording, kind, new Settings.Patience(0, 0), answer -> {});
        NodeLine line = quorum.get(node).line();
        line.ask(request);
        line.leave(request);
    }

    @Override
    public boolean queues() {
        return true;
    }

    /** Lets the queue ask all nodes. */
    private LeadQueue.Nodes nodes() {
        return new LeadQueue.Nodes() {
            @Override
            public Attempt round(Claim claim, int lead, AcquireRound.@Nullable LeadGrant grant) {
                return new AcquireRound(env, quorum, settings, scripts, reports, claim, lead, grant).hold();
            }

            @Override
            public Release release(Claim claim) {
                return releaseEverywhere(claim);
            }

            @Override
            public void releaseSoon(Claim claim) {
                sendRelease(List.of(claim)).close();
            }
        };
    }

    private void requireNoClash() {
        LockBackendException clash = quorum.clash();
        if (clash != null) {
            throw new LockBackendException(clash.reason(), String.valueOf(clash.getMessage()), clash);
        }
    }

    @Override
    public List<Renewal> renew(List<Claim> claims) {
        cards.writeIfDue(claims.get(0));
        try (Restorations.Permit permit = restorations.permit(claims)) {
            return renew(claims, permit);
        }
    }

    private List<Renewal> renew(List<Claim> claims, Restorations.Permit permit) {
        @Nullable Renewal[] renewals = new Renewal[claims.size()];
        List<Integer> asked = new ArrayList<>();
        for (int i = 0; i < renewals.length; i++) {
            Optional<String> tooLong = settings.tooLong(claims.get(i).lease());
            if (tooLong.isPresent()) {
                renewals[i] = new Renewal.Failed(new LockBackendException(Reason.REFUSED, tooLong.get()));
            } else {
                asked.add(i);
            }
        }
        List<List<Integer>> batches = new ArrayList<>();
        List<List<Claim>> roots = new ArrayList<>();
        List<Poll> polls = new ArrayList<>();
        for (int from = 0; from < asked.size(); from += BATCH) {
            List<Integer> batch = asked.subList(from, Math.min(from + BATCH, asked.size()));
            batches.add(batch);
            roots.add(batch.stream().map(claims::get).map(queue::renewed).toList());
            polls.add(extend(roots.get(roots.size() - 1)));
        }
        for (int i = 0; i < polls.size(); i++) {
            Poll poll = polls.get(i);
            poll.await();
            List<Claim> batch = batches.get(i).stream().map(claims::get).toList();
            for (int j = 0; j < batch.size(); j++) {
                renewals[batches.get(i).get(j)] =
                        renewal(batch.get(j), Tally.ofLeases(poll, quorum.majority(), j), poll);
            }
            if (restores) {
                restore(poll, roots.get(i), permit);
            }
        }
        return Arrays.stream(renewals).map(Objects::requireNonNull).toList();
    }

    /** Asks all servers to renew some leases. */
    private Poll extend(List<Claim> claims) {
        Duration shortest =
                claims.stream().map(Claim::lease).min(Comparator.naturalOrder()).orElseThrow();
        Poll poll = new Poll(
                env,
                quorum,
                settings.patience(shortest, claims.get(0).timeout()),
                answers -> areDecided(answers, claims.size(), 1));
        Request.Wording renew = scripts.renew(claims);
        for (int i = 0; i < poll.size(); i++) {
            poll.ask(i, Request.Kind.RENEWAL, renew);
        }
        return poll;
    }

    /**
     * Restores missing keys of locks that are held, on a node that has joined, or that lost its data and votes again.
     * Otherwise a lock that is held for months would lose its majority when a second node is replaced. Nodes that have
     * not answered yet get the request too; otherwise the slowest node would never get the keys. Nobody waits for the
     * answers, and no request is sent twice, since the second could arrive after a release.
     */
    private void restore(Poll poll, List<Claim> claims, Restorations.Permit permit) {
        for (int node = 0; node < poll.size(); node++) {
            List<Claim> missing = new ArrayList<>();
            for (int i = 0; i < claims.size(); i++) {
                if (Tally.mayBeGone(poll, node, i)
                        && Tally.ofLeases(poll, quorum.majority(), i).isHeld()) {
                    missing.add(claims.get(i));
                }
            }
            if (!missing.isEmpty() && quorum.isListed(node)) {
                int index = node;
                permit.restore(missing, held -> sendOnly(index, scripts.restore(held), Request.Kind.VOTE));
            }
        }
    }

    private Renewal renewal(Claim claim, Tally answers, Poll poll) {
        if (answers.isCarried()) {
            return new Renewal.Renewed(Duration.ofNanos(settings.validityNanos(claim.lease())));
        }
        return answers.isLost()
                ? new Renewal.Lost(answers.cause())
                : new Renewal.Failed(outage("extended the lease", poll));
    }

    @Override
    public Release release(Claim claim) {
        List<Claim> claims = List.of(claim);
        restorations.beginRelease(claims);
        try {
            return queue.release(claim);
        } finally {
            restorations.endRelease(claims);
        }
    }

    private Release releaseEverywhere(Claim claim) {
        Poll poll = sendRelease(List.of(claim));
        poll.await(poll.beganNanos() + claim.lease().toNanos());
        int lead = quorum.lead(claim.name());
        awaitLead(poll, lead);
        if (Tally.ofLeases(poll, quorum.majority(), 0).isLost()) {
            // Perhaps the lead has granted the lock to the next waiter, whose requests reached the other nodes before
            // this release: its answer tells.
            poll.awaitAll(poll.beganNanos() + claim.timeout().toNanos());
        }
        poll.close();
        boolean granted = answersAny(poll, List.of(0L, 1L)) || answersAny(poll, List.of(1L, 1L));
        Tally answers = Tally.ofLeases(poll, quorum.majority(), 0);
        // If a server has granted what this claim held there to the next waiter, that one may have replaced the other
        // keys already, which is no loss.
        if (answers.isLost() && !answersAny(poll, List.of(1L, 1L))) {
            return new Release.Lost(answers.cause());
        }
        if (!answers.isAnswered()) {
            throw outage("confirmed the release", poll);
        }
        boolean leadIsUnheard = poll.answer(lead) == null;
        return new Release.Freed(granted || (leadIsUnheard && queue.isContended(claim.name())));
    }

    /** As long as the lead holds the lock, it refuses the next client, and outvotes a majority. */
    private void awaitLead(Poll poll, int lead) {
        // Otherwise each release would wait for a lead that is slow for long.
        Lateness lateness = quorum.get(lead).lateness();
        if (!quorum.mayLead(lead) || !lateness.isAwaited()) {
            return;
        }
        poll.awaitToo(i -> i == lead);
        if (poll.answer(lead) instanceof Answer.Said) {
            lateness.noteInTime();
        } else {
            lateness.noteLate();
        }
    }

    private static boolean answersAny(Poll poll, List<Long> answer) {
        return IntStream.range(0, poll.size())
                .anyMatch(i -> poll.answer(i) instanceof Answer.Said said && answer.equals(said.value()));
    }

    @Override
    public void releaseAll(List<Claim> ended) {
        restorations.beginRelease(ended);
        try {
            releaseEverywhere(ended.stream().map(queue::removed).toList());
        } finally {
            restorations.endRelease(ended);
        }
    }

    private void releaseEverywhere(List<Claim> claims) {
        List<Poll> polls = new ArrayList<>();
        for (int from = 0; from < claims.size(); from += BATCH) {
            polls.add(sendRelease(claims.subList(from, Math.min(from + BATCH, claims.size()))));
        }
        LockBackendException first = null;
        for (Poll poll : polls) {
            poll.await(poll.beganNanos() + longest(claims).toNanos());
            poll.awaitToo(quorum::mayLead);
            poll.close();
            if (first == null && !Tally.ofLeases(poll, quorum.majority(), 0).isAnswered()) {
                first = outage("confirmed the releases", poll);
            }
        }
        if (first != null) {
            throw first;
        }
    }

    /** Sends all servers the release of some locks. */
    private Poll sendRelease(List<Claim> claims) {
        Duration shortest =
                claims.stream().map(Claim::lease).min(Comparator.naturalOrder()).orElseThrow();
        Poll poll = new Poll(
                env,
                quorum,
                settings.patience(shortest, claims.get(0).timeout()),
                answers -> areDecided(answers, claims.size(), 2));
        RedisCommand release = scripts.release(claims);
        long untilNanos = env.nanoTime() + longest(claims).toNanos();
        for (int i = 0; i < poll.size(); i++) {
            poll.release(i, release, untilNanos);
        }
        return poll;
    }

    private static Duration longest(List<Claim> claims) {
        return claims.stream().map(Claim::lease).max(Comparator.naturalOrder()).orElse(Duration.ZERO);
    }

    /**
     * Tells whether the answers for some leases are decided.
     *
     * @param width how many numbers there are for each lease
     */
    private boolean areDecided(Poll answers, int leases, int width) {
        for (int i = 0; i < leases; i++) {
            if (!Tally.ofLeases(answers, quorum.majority(), width * i).isDecidedForLease()) {
                return false;
            }
        }
        return true;
    }

    /** Throws for a name whose plain key would be among the keys that Interlock keeps beside the locks. */
    @Override
    public void checkName(String name) {
        scripts.keys().lock(name);
    }

    @Override
    public boolean isLocked(String name) {
        requireNoClash();
        Poll poll = new Poll(
                env,
                quorum,
                settings.patience(lease, timeout),
                answers -> Tally.ofHolders(answers, quorum.majority()).isDecided());
        RedisCommand holder = scripts.holder(name);
        for (int i = 0; i < poll.size(); i++) {
            poll.ask(i, Request.Kind.READ, recordId -> holder);
        }
        poll.await();
        Tally holders = Tally.ofHolders(poll, quorum.majority());
        if (holders.isCarried()) {
            return true;
        }
        if (holders.isAnswered()) {
            return false;
        }
        throw outage("told who holds the lock", poll);
    }

    private LockBackendException outage(String what, Poll poll) {
        long elapsed = env.nanoTime() - poll.beganNanos();
        return new LockBackendException(
                poll.reason(node -> true),
                "no majority of the servers " + what + ": "
                        + IntStream.range(0, poll.size())
                                .filter(quorum::isListed)
                                .mapToObj(i ->
                                        poll.report(i, elapsed, answer -> true).toString())
                                .collect(Collectors.joining("; ")));
    }

    @Override
    public Watch watch(String name, Runnable onFreed) {
        return queue.watch(name, onFreed);
    }

    @Override
    public List<ServerStatus> servers() {
        return quorum.states();
    }

    @Override
    public void close() {
        quorum.close();
    }
}
