// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.run;

import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.LockOptions;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisNode;
import dev.interlock.redlock.RedlockLocks;
import dev.interlock.redlock.RedlockOperations;
import dev.interlock.setnxgetset.SetnxGetsetLocks;
import dev.interlock.setnxpx.SetNxPxLocks;
import dev.interlock.simulation.mutants.Mutant;
import dev.interlock.simulation.mutants.RedlockMutants;
import dev.interlock.simulation.mutants.SetNxPxMutants;
import dev.interlock.simulation.mutants.SetnxGetsetMutants;
import dev.interlock.simulation.mutants.SharingMutants;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/** The strategies that can be simulated. */
final class Strategies {
    /** Each by its name. */
    static final Map<String, Strategy> ALL = new TreeMap<>(
            Map.of("set-nx-px", new SetNxPx(), "setnx-getset", new SetnxGetset(), "redlock", new Redlock()));

    private static final List<String> WAITING = Stream.of("channels.lua", "fence.lua", "queue.lua")
            .map("dev/interlock/redis/waiting/"::concat)
            .toList();

    private Strategies() {}

    /** A strategy as the simulation sees it. */
    interface Strategy {
        /** How many servers there are in the world of a seed. */
        default int servers(long seed) {
            return 1;
        }

        /** Makes a configuration fit the leases and the time of a run. */
        default void configure(LockConfig.Builder config) {}

        /**
         * Makes the factory of one client.
         *
         * @param servers the names of the servers
         * @param connect makes a port to a server
         */
        DistributedLockFactory newFactory(
                List<String> servers, Function<String, RedisNode> connect, LockConfig config, Environment env);

        /**
         * Returns how much longer than its holder believes a lease that was lost may last on the servers: their clocks
         * may differ.
         */
        default Duration lingers() {
            return Duration.ofMillis(20);
        }

        /** The key of a lock. */
        default String key(String lock) {
            return "interlock:{" + lock + "}";
        }

        /** Returns whether a value in the key of a lock means that somebody holds it. */
        default boolean isHeld(String value, LongSupplier nowMillis) {
            return true;
        }

        /** Returns whether a key that nobody uses any more stays on the server. */
        default boolean stays(String key) {
            return false;
        }

        /** The resources that its scripts are made of. */
        List<String> scripts();

        /** Returns the faults that cannot affect the commands of this strategy. */
        Set<String> harmless();

        /** Returns the deliberate errors. */
        List<Mutant> mutants();
    }

    /** A strategy whose clients watch the servers, and keep the list of those that vote there. */
    interface Listing {
        /** Returns the configuration of a client that trusts servers to keep their data. */
        LockConfig trusting(LockConfig config);

        /**
         * Changes the list, or goes on with the change.
         *
         * @param servers the names of the servers that the operator knows
         * @param connect makes a port to a server
         * @param order what changes
         * @param progress told what the change waits for
         * @throws InterruptedException if the operator breaks it off
         */
        void change(
                List<String> servers,
                Function<String, RedisNode> connect,
                LockConfig config,
                Environment env,
                Order order,
                Consumer<String> progress)
                throws InterruptedException;
    }

    /**
     * The order to change the list of servers.
     *
     * @param leaving the server that leaves
     * @param joining the server that joins
     * @param gone the servers that have ended for good
     */
    record Order(Optional<String> leaving, Optional<String> joining, Set<String> gone) {}

    private static final class SetNxPx implements Strategy {
        @Override
        public DistributedLockFactory newFactory(
                List<String> servers, Function<String, RedisNode> connect, LockConfig config, Environment env) {
            return SetNxPxLocks.builder()
                    .config(config)
                    .node(connect.apply(servers.get(0)), env)
                    .build();
        }

        @Override
        public Set<String> harmless() {
            return Set.of();
        }

        @Override
        public List<String> scripts() {
            return Stream.concat(
                            WAITING.stream(),
                            Stream.of(
                                            "setnxpx-acquire.lua",
                                            "adopt.lua",
                                            "await.lua",
                                            "conditions.lua",
                                            "free.lua",
                                            "free-unwaited.lua",
                                            "freeing.lua",
                                            "setnxpx-leave.lua",
                                            "look-waiter.lua",
                                            "setnxpx-release.lua",
                                            "releasing.lua",
                                            "setnxpx-renew.lua",
                                            "readwrite/free-read.lua",
                                            "readwrite/free-unlock.lua",
                                            "readwrite/free-write.lua",
                                            "readwrite/names.lua",
                                            "readwrite/phases.lua",
                                            "readwrite/setnxpx-read.lua",
                                            "readwrite/sides-release.lua",
                                            "readwrite/sides-renew.lua",
                                            "readwrite/setnxpx-write.lua",
                                            "signal.lua",
                                            "setnxpx-take.lua",
                                            "together.lua",
                                            "waiting.lua",
                                            "word.lua")
                                    .map("dev/interlock/setnxpx/"::concat))
                    .toList();
        }

        @Override
        public List<Mutant> mutants() {
            return Stream.of(SetNxPxMutants.ALL, SharingMutants.ALL)
                    .flatMap(List::stream)
                    .toList();
        }
    }

    private static final class SetnxGetset implements Strategy {
        /** The smallest number that is taken for milliseconds: as seconds it would be far ahead. */
        private static final double LEAST_MILLIS = 1e11;

        @Override
        public DistributedLockFactory newFactory(
                List<String> servers, Function<String, RedisNode> connect, LockConfig config, Environment env) {
            return SetnxGetsetLocks.builder()
                    .config(config)
                    .node(connect.apply(servers.get(0)), env)
                    .build();
        }

        @Override
        public String key(String lock) {
            return "lock." + lock;
        }

        /** The value is the time at which the lease is over, in seconds or milliseconds. */
        @Override
        public boolean isHeld(String value, LongSupplier nowMillis) {
            double time = Double.parseDouble(value);
            return (time < LEAST_MILLIS ? time * 1000 : time) > nowMillis.getAsLong();
        }

        @Override
        public boolean stays(String key) {
            return true;
        }

        /** It publishes nothing, and sends nothing twice and nothing behind a request without a reply. */
        @Override
        public Set<String> harmless() {
            return Set.of("subscription-cut", "duplicate", "undo");
        }

        @Override
        public List<String> scripts() {
            return List.of("dev/interlock/setnxgetset/guarded.lua");
        }

        @Override
        public List<Mutant> mutants() {
            return SetnxGetsetMutants.ALL;
        }
    }

    private static final class Redlock implements Strategy, Listing {
        private static final int FEW_SERVERS = 3;
        private static final int MANY_SERVERS = 5;
        private static final String PORT = ":6379";

        /** Five servers in every fourth world. */
        @Override
        public int servers(long seed) {
            return Math.floorMod(seed, 4) == 3 ? MANY_SERVERS : FEW_SERVERS;
        }

        /**
         * No lease of a run is longer, and a server that may have forgotten some is back within it. A change may make
         * the number of servers even.
         */
        @Override
        public void configure(LockConfig.Builder config) {
            config.option("max-lease", "3s")
                    .option("even-nodes", "allow")
                    .lockDefaults(
                            LockOptions.builder().lease(Duration.ofSeconds(2)).build());
        }

        @Override
        public DistributedLockFactory newFactory(
                List<String> servers, Function<String, RedisNode> connect, LockConfig config, Environment env) {
            return RedlockLocks.builder()
                    .config(config)
                    .nodes(addresses(servers), byAddress(connect), env)
                    .build();
        }

        private static List<String> addresses(List<String> servers) {
            return servers.stream().map(server -> server + PORT).toList();
        }

        private static Function<String, RedisNode> byAddress(Function<String, RedisNode> connect) {
            return address -> connect.apply(address.substring(0, address.lastIndexOf(':')));
        }

        @Override
        public LockConfig trusting(LockConfig config) {
            return config.toBuilder().option("cold-start", "trust").build();
        }

        @Override
        public void change(
                List<String> servers,
                Function<String, RedisNode> connect,
                LockConfig config,
                Environment env,
                Order order,
                Consumer<String> progress)
                throws InterruptedException {
            Optional<String> leaving = order.leaving().map(server -> server + PORT);
            Optional<String> joining = order.joining().map(server -> server + PORT);
            Set<String> gone = Set.copyOf(addresses(List.copyOf(order.gone())));
            try (RedlockOperations operations =
                    RedlockOperations.connect(config, addresses(servers), byAddress(connect), env)) {
                if (joining.isEmpty()) {
                    operations.remove(leaving.orElseThrow(), gone, progress);
                } else if (leaving.isEmpty()) {
                    operations.add(joining.get(), gone, progress);
                } else {
                    operations.replace(leaving.get(), joining.get(), gone, progress);
                }
            }
        }

        /** Whoever was passed the lock has less time than the keys: up to the longest grant. */
        @Override
        public Duration lingers() {
            return Duration.ofSeconds(2);
        }

        /** The birth record of a server lives as long as its data. */
        @Override
        public boolean stays(String key) {
            return key.equals("interlock:birth");
        }

        /** It sends over links, which send nothing twice; what it undoes, it undoes by requests of its own. */
        @Override
        public Set<String> harmless() {
            return Set.of("duplicate", "undo");
        }

        @Override
        public List<String> scripts() {
            return Stream.concat(
                            WAITING.stream(),
                            Stream.of(
                                            "birth/enrol.lua",
                                            "confirm.lua",
                                            "lead/ask.lua",
                                            "lead/free-release.lua",
                                            "lead/grants.lua",
                                            "lead/redlock-leave.lua",
                                            "lead/pass.lua",
                                            "lead/redlock-release.lua",
                                            "lead/stand-back.lua",
                                            "lead/redlock-take.lua",
                                            "lead/take-behind-queue.lua",
                                            "lead/vote.lua",
                                            "redlock-renew.lua",
                                            "restore.lua")
                                    .map("dev/interlock/redlock/"::concat))
                    .toList();
        }

        @Override
        public List<Mutant> mutants() {
            return RedlockMutants.ALL;
        }
    }
}
