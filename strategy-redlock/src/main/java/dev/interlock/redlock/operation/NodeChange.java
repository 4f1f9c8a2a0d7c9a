// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.operation;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redlock.birth.Births;
import dev.interlock.redlock.birth.Electorate;
import dev.interlock.redlock.birth.Eligibility;
import dev.interlock.redlock.joint.Configuration;
import dev.interlock.redlock.joint.ListedNode;
import dev.interlock.redlock.joint.Majorities;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One change of the list of nodes, which a client of the cluster carries out. Used by one thread. */
public final class NodeChange {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Environment env;
    private final Nodes nodes;
    private final Births births;
    private final Electorate electorate;

    /**
     * A list on which nodes have agreed, as one server keeps it.
     *
     * @param list the list
     * @param runId the run_id of the process that keeps it
     */
    public record KeptList(Configuration list, String runId) {}

    /** The nodes, as this client is connected to them. */
    public interface Nodes {
        /**
         * Returns whether the process at a node may vote.
         *
         * @param index the index of the node
         * @return what is known of the process; {@code null} if none is connected
         */
        @Nullable
        Eligibility eligibility(int index);

        /** Reconnects where needed, and tells all nodes what they do not know; waits a moment. */
        void look();

        /**
         * Reads the list that a server keeps, over a connection of its own.
         *
         * @param address host and port
         * @return the list, or empty if the server keeps none, or it is not agreed
         * @throws LockBackendException if the server does not answer, or keeps something else
         */
        Optional<KeptList> listAt(String address);

        /**
         * Fails unless a list may have so many nodes.
         *
         * @param count how many
         */
        void requireCount(int count);

        /**
         * Returns by how much clocks can differ over a time.
         *
         * @param time the time
         * @return nanoseconds
         */
        long driftNanos(Duration time);
    }

    /**
     * Creates a change.
     *
     * @param env time
     * @param nodes the nodes
     * @param births their records
     */
    public NodeChange(Environment env, Nodes nodes, Births births) {
        this.env = env;
        this.nodes = nodes;
        this.births = births;
        this.electorate = births.electorate();
    }

    /**
     * Waits until one node has told the list, and a little longer for the others.
     *
     * @return the list
     * @throws LockBackendException if no node has told of it
     */
    public Configuration learn() {
        listen();
        return learned();
    }

    private Configuration learnUnlessInterrupted() throws InterruptedException {
        listen();
        requireUninterrupted();
        return learned();
    }

    private Configuration learned() {
        if (!electorate.isFounded()) {
            throw new LockBackendException(
                    Reason.UNREACHABLE,
                    "no node has told which nodes the cluster has: start a client, with all nodes up, and see whether the"
                            + " endpoints and the option cluster are those of the clients");
        }
        return electorate.configuration();
    }

    private void listen() {
        long until = env.nanoTime() + PATIENCE.toNanos();
        // To look does not wait for an interrupted thread.
        while (!allAnswer()
                && env.nanoTime() - until < 0
                && !Thread.currentThread().isInterrupted()) {
            nodes.look();
        }
    }

    private boolean allAnswer() {
        Configuration configuration = electorate.configuration();
        return electorate.isFounded()
                && configuration.nodes().stream().allMatch(node -> isInformed(node.index(), configuration));
    }

    /**
     * Returns whether a node knows a configuration.
     *
     * @param index the index of the node
     * @param configuration the configuration
     * @return whether it is connected, and its record says so
     */
    public boolean isInformed(int index, Configuration configuration) {
        Eligibility eligibility = nodes.eligibility(index);
        return eligibility != null && eligibility.knows(configuration);
    }

    /**
     * Carries out a change, or continues it.
     *
     * @param leaving the address of the node that leaves, or empty
     * @param entering the address of the node that joins, or empty
     * @param gone the addresses of nodes that are stopped for good
     * @param progress called with a text each time the change waits for something
     * @param guard fails if this is not the only operator any more
     * @throws IllegalArgumentException if there is no such node
     * @throws IllegalStateException if another change is under way
     * @throws LockBackendException if too few nodes answer
     * @throws InterruptedException if the thread is interrupted
     */
    public void perform(
            Optional<String> leaving,
            Optional<String> entering,
            Set<String> gone,
            Consumer<String> progress,
            Runnable guard)
            throws InterruptedException {
        Configuration before = learnUnlessInterrupted();
        carryOut(before, ahead(before, leaving, entering, gone), leaving, entering, gone, progress, guard);
    }

    /**
     * Carries out a change for which the lock of the operators cannot be had, if the nodes do not vote because of that
     * very change: it is under way, or its list was founded before the command.
     *
     * @param leaving the address of the node that leaves, or empty
     * @param entering the address of the node that joins, or empty
     * @param gone the addresses of nodes that are stopped for good
     * @param progress called with a text each time the change waits for something
     * @return whether the change was carried out; if not, it is another one, and nothing has been written
     * @throws IllegalStateException if another change is under way
     * @throws LockBackendException if too few nodes answer
     * @throws InterruptedException if the thread is interrupted
     */
    public boolean performWithoutLock(
            Optional<String> leaving, Optional<String> entering, Set<String> gone, Consumer<String> progress)
            throws InterruptedException {
        listen();
        requireUninterrupted();
        if (!electorate.isFounded()) {
            return false;
        }
        Configuration before = electorate.configuration();
        Optional<FoundedAhead> ahead = ahead(before, leaving, entering, gone);
        if (!before.isJoint() && ahead.isEmpty()) {
            return false;
        }
        progress.accept("going on without that lock, for which the nodes do not vote: let no other operator change the"
                + " nodes meanwhile");
        // A change that is under way is the same one (see requireSame), and has one end, whoever writes it. Of two
        // changes that begin now, at most one ends: a node keeps the first of which it is told.
        carryOut(before, ahead, leaving, entering, gone, progress, () -> {});
        return true;
    }

    private void carryOut(
            Configuration before,
            Optional<FoundedAhead> ahead,
            Optional<String> leaving,
            Optional<String> entering,
            Set<String> gone,
            Consumer<String> progress,
            Runnable guard)
            throws InterruptedException {
        if (!before.isJoint()) {
            if (ahead.isEmpty() && isDone(before, leaving, entering)) {
                progress.accept("the nodes are " + before.summary() + " already");
                return;
            }
            Configuration next = ahead.isPresent()
                    ? planFounded(ahead.get(), leaving, entering)
                    : plan(before, leaving, entering, gone);
            guard.run();
            electorate.change(next);
            progress.accept("telling the nodes: " + next.summary());
        } else {
            requireSame(before, leaving, entering);
            progress.accept("going on with " + before.summary());
        }
        Configuration joint = electorate.configuration();
        awaitTold(joint, gone, progress);
        long toldNanos = env.nanoTime();
        awaitEndOfOldLeases(joint, toldNanos, progress);
        // Nodes that have got new indexes do not vote for the lock of the operators until then, so that it is lost.
        if (ahead.isEmpty()) {
            guard.run();
        }
        requireFirst(joint);
        electorate.change(joint.end());
        awaitEnd(joint.end());
        progress.accept("the nodes are now " + joint.end().summary());
    }

    private static boolean isDone(Configuration now, Optional<String> leaving, Optional<String> entering) {
        return leaving.flatMap(now::node).isEmpty()
                && entering.map(address -> now.node(address).isPresent()).orElse(true);
    }

    /**
     * Returns the list to which a change leads, if clients that were given that list have founded it before the change,
     * and the node that leaves has the old list. Then the change must be carried out, though the list is there.
     *
     * @param leaving the address of the node that leaves, or empty
     * @param entering the address of the node that joins, or empty
     * @param gone the addresses of nodes that are stopped for good; if there are any, no list counts as founded
     * @return the new list, as it was founded; empty if it was not
     * @throws InterruptedException if the thread is interrupted
     */
    public Optional<Configuration> foundedAhead(Optional<String> leaving, Optional<String> entering, Set<String> gone)
            throws InterruptedException {
        Optional<FoundedAhead> found = gone.isEmpty() ? find(leaving, entering) : Optional.empty();
        if (found.isEmpty()) {
            return Optional.empty();
        }
        listen();
        requireUninterrupted();
        return found.filter(ahead -> electorate.isFounded() && ahead.concerns(electorate.configuration()))
                .map(FoundedAhead::list);
    }

    private Optional<FoundedAhead> ahead(
            Configuration now, Optional<String> leaving, Optional<String> entering, Set<String> gone) {
        return now.revision() == 0 && gone.isEmpty()
                ? find(leaving, entering).filter(ahead -> ahead.concerns(now))
                : Optional.empty();
    }

    private Optional<FoundedAhead> find(Optional<String> leaving, Optional<String> entering) {
        return leaving.flatMap(address -> FoundedAhead.find(nodes, address, entering));
    }

    private Configuration planFounded(FoundedAhead ahead, Optional<String> leaving, Optional<String> entering) {
        nodes.requireCount(ahead.list().newList().size());
        ahead.requireNoneSilent();
        return ahead.list().changeToThis(leaving, entering);
    }

    private Configuration plan(
            Configuration now, Optional<String> leaving, Optional<String> entering, Set<String> gone) {
        Optional<Integer> index = leaving.map(address -> now.node(address)
                .map(ListedNode::index)
                .orElseThrow(() -> new IllegalArgumentException(
                        "there is no node " + address + ": the nodes are " + now.summary())));
        entering.filter(address -> now.node(address).isPresent()).ifPresent(address -> {
            throw new IllegalArgumentException(address + " is one of the nodes already, which are " + now.summary());
        });
        Configuration next = now.change(index, entering);
        nodes.requireCount(next.newList().size());
        List<String> silent = now.nodes().stream()
                .filter(node -> !gone.contains(node.address()) && !isInformed(node.index(), now))
                .map(ListedNode::address)
                .toList();
        if (!silent.isEmpty()) {
            throw new LockBackendException(
                    Reason.UNREACHABLE,
                    silent
                            + " cannot be told of the change: make them reachable, or name those that are stopped for good");
        }
        // A mistyped address must be noticed before anything is written.
        entering.ifPresent(nodes::listAt);
        return next;
    }

    private static void requireSame(Configuration joint, Optional<String> leaving, Optional<String> entering) {
        boolean same = joint.nodes().stream().allMatch(node -> switch (node.phase()) {
            case STAYS -> true;
            case LEAVES -> leaving.equals(Optional.of(node.address()));
            case JOINS -> entering.equals(Optional.of(node.address()));
        });
        int changed = (leaving.isPresent() ? 1 : 0) + (entering.isPresent() ? 1 : 0);
        long changing = joint.nodes().stream()
                .filter(node -> node.phase() != ListedNode.Phase.STAYS)
                .count();
        if (!same || changed != changing) {
            throw new IllegalStateException("another change is under way, and must end first: " + joint.summary()
                    + "; give that command again");
        }
    }

    /** Waits until the nodes know the change. From then on, no lock is acquired or kept by the old list alone. */
    private void awaitTold(Configuration joint, Set<String> gone, Consumer<String> progress)
            throws InterruptedException {
        Set<Integer> told = new HashSet<>();
        Predicate<ListedNode> open = node -> joint.oldList().contains(node.index())
                && !told.contains(node.index())
                && !gone.contains(node.address());
        await(joint, progress, () -> {
            joint.oldList().stream().filter(index -> isInformed(index, joint)).forEach(told::add);
            boolean majority = new Majorities(List.of(joint.oldList())).areReached(told::contains);
            return majority && joint.nodes().stream().noneMatch(open)
                    ? ""
                    : "waiting until these know of the change: "
                            + joint.nodes().stream()
                                    .filter(open)
                                    .map(ListedNode::address)
                                    .collect(Collectors.joining(" "))
                            + (majority ? "" : "; they must be a majority");
        });
    }

    private void awaitEndOfOldLeases(Configuration joint, long toldNanos, Consumer<String> progress)
            throws InterruptedException {
        await(joint, progress, () -> {
            Duration longest = births.longestLease();
            long left = longest.toNanos() + nodes.driftNanos(longest) - (env.nanoTime() - toldNanos);
            if (left > 0) {
                return "waiting for leases of the old list to end, which takes " + longest.toSeconds() + " s";
            }
            Set<Integer> voters = new HashSet<>();
            joint.newList().stream()
                    .filter(index -> {
                        Eligibility eligibility = nodes.eligibility(index);
                        return eligibility != null && eligibility.votesInNanos(env.nanoTime()) <= 0;
                    })
                    .forEach(voters::add);
            boolean joined = joint.nodes().stream()
                    .filter(node -> node.phase() == ListedNode.Phase.JOINS)
                    .allMatch(node -> voters.contains(node.index()));
            return joined && new Majorities(List.of(joint.newList())).areReached(voters::contains)
                    ? ""
                    : "waiting until the new node votes";
        });
    }

    private void await(Configuration joint, Consumer<String> progress, Waiting waiting) throws InterruptedException {
        String last = "";
        for (String what = waiting.what(); !what.isEmpty(); what = waiting.what()) {
            if (!what.equals(last)) {
                progress.accept(what);
                last = what;
            }
            requireUninterrupted();
            nodes.look();
            requireFirst(joint);
        }
    }

    private static void requireUninterrupted() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("the change goes on when it is called again");
        }
    }

    /** A condition that the change waits for. */
    private interface Waiting {
        /** Returns in words what the change waits for, or an empty text if the condition holds. */
        String what();
    }

    private void requireFirst(Configuration joint) {
        if (!electorate.configuration().equals(joint)) {
            throw new IllegalStateException("another operator has gone on with this change: the nodes are "
                    + electorate.configuration().summary());
        }
    }

    private void awaitEnd(Configuration end) throws InterruptedException {
        long until = env.nanoTime() + PATIENCE.toNanos();
        BooleanSupplier known = () -> end.nodes().stream().allMatch(node -> isInformed(node.index(), end));
        while (!known.getAsBoolean()
                && env.nanoTime() - until < 0
                && !Thread.currentThread().isInterrupted()) {
            nodes.look();
        }
        if (!end.majorities().areReached(index -> isInformed(index, end))) {
            requireUninterrupted();
            throw new LockBackendException(
                    Reason.UNREACHABLE,
                    "no majority has confirmed the new list " + end.summary()
                            + ": it counts, and clients spread it; look at the status when the nodes answer again");
        }
    }
}
