// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.run;

import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisNode;
import dev.interlock.setnxgetset.SetnxGetsetLocks;
import dev.interlock.setnxpx.SetNxPxLocks;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/** The strategies that can be simulated. */
final class Strategies {
    /** Each by its name. */
    static final Map<String, Strategy> ALL =
            new TreeMap<>(Map.of("set-nx-px", new SetNxPx(), "setnx-getset", new SetnxGetset()));

    private Strategies() {}

    /** A strategy as the simulation sees it. */
    interface Strategy {
        /** Makes the factory of one client. */
        DistributedLockFactory newFactory(RedisNode node, LockConfig config, Environment env);

        /** The key of a lock. */
        String key(String lock);

        /** Returns whether a value in the key of a lock means that somebody holds it. */
        boolean isHeld(String value, LongSupplier nowMillis);

        /** Returns whether the server removes keys that nobody uses any more. */
        boolean keysEnd();

        /** The faults that cannot have an effect on what it sends. */
        Set<String> harmless();

        /** The deliberate faults. */
        List<Mutant> mutants();
    }

    private static final class SetNxPx implements Strategy {
        @Override
        public DistributedLockFactory newFactory(RedisNode node, LockConfig config, Environment env) {
            return SetNxPxLocks.builder().config(config).node(node, env).build();
        }

        @Override
        public String key(String lock) {
            return "interlock:{" + lock + "}";
        }

        @Override
        public boolean isHeld(String value, LongSupplier nowMillis) {
            return true;
        }

        @Override
        public boolean keysEnd() {
            return true;
        }

        @Override
        public Set<String> harmless() {
            return Set.of();
        }

        @Override
        public List<Mutant> mutants() {
            return SetNxPxMutants.ALL;
        }
    }

    private static final class SetnxGetset implements Strategy {
        /** In seconds, this is far ahead. */
        private static final double LEAST_MILLIS = 1e11;

        @Override
        public DistributedLockFactory newFactory(RedisNode node, LockConfig config, Environment env) {
            return SetnxGetsetLocks.builder().config(config).node(node, env).build();
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
        public boolean keysEnd() {
            return false;
        }

        /** It publishes nothing, and sends nothing twice and nothing behind a request without a reply. */
        @Override
        public Set<String> harmless() {
            return Set.of("subscription-cut", "duplicate", "undo");
        }

        @Override
        public List<Mutant> mutants() {
            return SetnxGetsetMutants.ALL;
        }
    }
}
