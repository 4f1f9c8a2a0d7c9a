// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * The settings of one factory of locks: {@code interlock.*} for the default one, and
 * {@code interlock.factories.<name>.*} for others. What is not set is {@code null}, so that it can be taken from
 * elsewhere.
 */
@ConfigurationProperties("interlock")
public final class LockFactoryProperties {
    /**
     * Strategy that keeps the locks. May be left out if only one is on the class path.
     */
    private @Nullable String strategy;

    /**
     * Servers, such as redis://localhost:6379, redis-sentinel://host1,host2/0#name or redis-cluster://host1,host2. If
     * not set, the connection of spring.data.redis.* or of a service connection is used.
     */
    private List<String> endpoints = new ArrayList<>();

    /**
     * Name of a bean whose connections are used instead of own ones: a client of Jedis, Lettuce or Redisson, as far as
     * the strategy takes it.
     */
    private @Nullable String clientBean;

    /**
     * Prefix of the names of all keys and channels. Programs that are to exclude each other need the same.
     */
    private @Nullable String keyPrefix;

    /**
     * Longest time to wait for a connection, and for the answer to one command.
     */
    private @Nullable Duration commandTimeout;

    /**
     * Longest time after which a waiter asks the server again though nothing woke it.
     */
    private @Nullable Duration waitCeiling;

    /**
     * How often in a row a lock may pass from one thread of this application to the next without asking the server.
     */
    private @Nullable Integer localHandoffs;

    /**
     * Time for which a lock is granted at a time, which is how long others wait after a holder has died.
     */
    private @Nullable Duration lease;

    /**
     * Whether the lease is renewed in the background while the lock is held.
     */
    private @Nullable Boolean renewal;

    /**
     * Longest time for which renewal keeps a lock for one holder.
     */
    private @Nullable Duration maxHold;

    /**
     * Whether a thread is interrupted when it loses the lock that it holds.
     */
    private @Nullable Boolean interruptOnLoss;

    /**
     * Options that only the strategy knows, by their names.
     */
    private Map<String, String> option = new LinkedHashMap<>();

    private final Ssl ssl = new Ssl();

    /** Creates settings of which none is set. */
    public LockFactoryProperties() {}

    /**
     * Returns these settings, where what is not set is taken from others: servers, client and options only if these do
     * not name another strategy.
     */
    LockFactoryProperties orElse(LockFactoryProperties others) {
        LockFactoryProperties merged = new LockFactoryProperties();
        merged.keyPrefix = first(keyPrefix, others.keyPrefix);
        merged.commandTimeout = first(commandTimeout, others.commandTimeout);
        merged.waitCeiling = first(waitCeiling, others.waitCeiling);
        merged.localHandoffs = first(localHandoffs, others.localHandoffs);
        merged.lease = first(lease, others.lease);
        merged.renewal = first(renewal, others.renewal);
        merged.maxHold = first(maxHold, others.maxHold);
        merged.interruptOnLoss = first(interruptOnLoss, others.interruptOnLoss);
        boolean sameStrategy = strategy == null || strategy.equals(others.strategy);
        boolean ownServers = !endpoints.isEmpty() || clientBean != null;
        LockFactoryProperties servers = sameStrategy && !ownServers ? others : this;
        merged.strategy = first(strategy, others.strategy);
        merged.endpoints = servers.endpoints;
        merged.clientBean = servers.clientBean;
        merged.ssl.bundle = first(ssl.bundle, servers.ssl.bundle);
        if (sameStrategy) {
            merged.option.putAll(others.option);
        }
        merged.option.putAll(option);
        return merged;
    }

    private static <T> @Nullable T first(@Nullable T own, @Nullable T other) {
        return own != null ? own : other;
    }

    /**
     * Returns the strategy.
     *
     * @return its name, or null if not set
     */
    public @Nullable String getStrategy() {
        return strategy;
    }

    /**
     * Sets the strategy.
     *
     * @param strategy its name
     */
    public void setStrategy(@Nullable String strategy) {
        this.strategy = strategy;
    }

    /**
     * Returns the servers.
     *
     * @return their URIs; empty if not set
     */
    public List<String> getEndpoints() {
        return endpoints;
    }

    /**
     * Sets the servers.
     *
     * @param endpoints their URIs
     */
    public void setEndpoints(List<String> endpoints) {
        this.endpoints = endpoints;
    }

    /**
     * Returns the bean with the client.
     *
     * @return its name, or null if not set
     */
    public @Nullable String getClientBean() {
        return clientBean;
    }

    /**
     * Sets the bean with the client.
     *
     * @param clientBean its name
     */
    public void setClientBean(@Nullable String clientBean) {
        this.clientBean = clientBean;
    }

    /**
     * Returns the prefix of keys.
     *
     * @return the prefix, or null if not set
     */
    public @Nullable String getKeyPrefix() {
        return keyPrefix;
    }

    /**
     * Sets the prefix of keys.
     *
     * @param keyPrefix the prefix
     */
    public void setKeyPrefix(@Nullable String keyPrefix) {
        this.keyPrefix = keyPrefix;
    }

    /**
     * Returns the command time-out.
     *
     * @return the time-out, or null if not set
     */
    public @Nullable Duration getCommandTimeout() {
        return commandTimeout;
    }

    /**
     * Sets the command time-out.
     *
     * @param commandTimeout the time-out
     */
    public void setCommandTimeout(@Nullable Duration commandTimeout) {
        this.commandTimeout = commandTimeout;
    }

    /**
     * Returns the wait ceiling.
     *
     * @return the ceiling, or null if not set
     */
    public @Nullable Duration getWaitCeiling() {
        return waitCeiling;
    }

    /**
     * Sets the wait ceiling.
     *
     * @param waitCeiling the ceiling
     */
    public void setWaitCeiling(@Nullable Duration waitCeiling) {
        this.waitCeiling = waitCeiling;
    }

    /**
     * Returns the number of local hand-offs.
     *
     * @return the number, or null if not set
     */
    public @Nullable Integer getLocalHandoffs() {
        return localHandoffs;
    }

    /**
     * Sets the number of local hand-offs.
     *
     * @param localHandoffs the number
     */
    public void setLocalHandoffs(@Nullable Integer localHandoffs) {
        this.localHandoffs = localHandoffs;
    }

    /**
     * Returns the lease.
     *
     * @return the lease, or null if not set
     */
    public @Nullable Duration getLease() {
        return lease;
    }

    /**
     * Sets the lease.
     *
     * @param lease the lease
     */
    public void setLease(@Nullable Duration lease) {
        this.lease = lease;
    }

    /**
     * Returns whether leases are renewed.
     *
     * @return whether they are, or null if not set
     */
    public @Nullable Boolean getRenewal() {
        return renewal;
    }

    /**
     * Sets whether leases are renewed.
     *
     * @param renewal whether they are
     */
    public void setRenewal(@Nullable Boolean renewal) {
        this.renewal = renewal;
    }

    /**
     * Returns the bound of renewal.
     *
     * @return the bound, or null if not set
     */
    public @Nullable Duration getMaxHold() {
        return maxHold;
    }

    /**
     * Sets the bound of renewal.
     *
     * @param maxHold the bound
     */
    public void setMaxHold(@Nullable Duration maxHold) {
        this.maxHold = maxHold;
    }

    /**
     * Returns whether a loss interrupts.
     *
     * @return whether it does, or null if not set
     */
    public @Nullable Boolean getInterruptOnLoss() {
        return interruptOnLoss;
    }

    /**
     * Sets whether a loss interrupts.
     *
     * @param interruptOnLoss whether it does
     */
    public void setInterruptOnLoss(@Nullable Boolean interruptOnLoss) {
        this.interruptOnLoss = interruptOnLoss;
    }

    /**
     * Returns the options of the strategy.
     *
     * @return the values by their names
     */
    public Map<String, String> getOption() {
        return option;
    }

    /**
     * Sets the options of the strategy.
     *
     * @param option the values by their names
     */
    public void setOption(Map<String, String> option) {
        this.option = option;
    }

    /**
     * Returns the settings of TLS.
     *
     * @return the settings
     */
    public Ssl getSsl() {
        return ssl;
    }

    /** The settings of TLS. */
    public static final class Ssl {
        /**
         * SSL bundle with the certificates for endpoints that begin with rediss://.
         */
        private @Nullable String bundle;

        /** Creates settings of which none is set. */
        public Ssl() {}

        /**
         * Returns the SSL bundle.
         *
         * @return its name, or null if not set
         */
        public @Nullable String getBundle() {
            return bundle;
        }

        /**
         * Sets the SSL bundle.
         *
         * @param bundle its name
         */
        public void setBundle(@Nullable String bundle) {
            this.bundle = bundle;
        }
    }
}
