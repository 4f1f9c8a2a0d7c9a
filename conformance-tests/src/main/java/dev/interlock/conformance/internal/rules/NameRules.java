// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.rules;

import static dev.interlock.conformance.internal.actor.Waits.eventually;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.Lease;
import dev.interlock.LockHandle;
import dev.interlock.LockOptions;
import dev.interlock.conformance.harness.Fault;
import dev.interlock.conformance.harness.Needs;
import dev.interlock.conformance.internal.actor.Actor;
import dev.interlock.conformance.internal.actor.Scale;
import dev.interlock.conformance.internal.peer.PeerMain;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.spi.StrategyOption;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Chapter 10 of the contract: names and configuration. */
public abstract class NameRules extends FaultRules {
    private static final int MAX_BYTES = 512;
    private static final String KEBAB = "[a-z][a-z0-9]*(-[a-z0-9]+)*";
    private static final String EMOJI = "\ud83d\udd12";

    NameRules() {}

    @Test
    @Tag("chapter-10")
    public final void rule_10_1_aNameThatIsNullIsRefused() {
        String none = nothing();
        assertThrows(NullPointerException.class, () -> factory().getLock(none), "getLock(null)");
        LockOptions options = LockOptions.defaults();
        assertThrows(NullPointerException.class, () -> factory().getLock(none, options), "getLock(null, options)");
    }

    @Test
    @Tag("chapter-10")
    public final void rule_10_2_optionsThatAreNullAreRefused() {
        LockOptions none = nothing();
        assertThrows(NullPointerException.class, () -> factory().getLock(name(), none), "getLock(name, null)");
    }

    @Test
    @Tag("chapter-10")
    public final void rule_10_3_aBlankNameIsRefused() {
        for (String blank : List.of("", " ", "\t\r\n", "\u2003\u2003")) {
            assertRefused("a blank name", blank);
        }
    }

    @Test
    @Tag("chapter-10")
    public final void rule_10_4_aNameOfMoreThan512BytesIsRefused() {
        assertRefused("a name of 513 letters", "x".repeat(MAX_BYTES + 1));
        assertRefused("a name of 257 letters of two bytes", "\u00e9".repeat(MAX_BYTES / 2 + 1));
        assertRefused("a name of 129 letters of four bytes", EMOJI.repeat(MAX_BYTES / 4 + 1));
        assertRefused("a name of a million letters", "x".repeat(1_000_000));
    }

    @Test
    @Tag("chapter-10")
    public final void rule_10_5_aNameOf512BytesIsAsGoodAsAnyOther() {
        String letters = name() + "x".repeat(MAX_BYTES - name().length());
        String others = letters.substring(0, MAX_BYTES - 1) + "y";
        int ascii = name().length() + (MAX_BYTES - name().length()) % 4;
        String emojis = letters.substring(0, ascii) + EMOJI.repeat((MAX_BYTES - ascii) / 4);
        assertEquals(MAX_BYTES, emojis.getBytes(StandardCharsets.UTF_8).length, "the kit's own arithmetic");
        assertAreDifferentLocks(List.of(letters, others, emojis));
    }

    @Test
    @Tag("chapter-10")
    public final void rule_10_6_aNameThatCannotBeEncodedIsRefused() {
        assertRefused("a name that ends with half of a surrogate pair", name() + "\ud83d");
        assertRefused("a name that begins with half of a surrogate pair", "\udd12" + name());
        assertRefused("a name with a surrogate pair the wrong way round", name() + "\udd12\ud83d" + name());
    }

    @Test
    @Tag("chapter-10")
    public final void rule_10_7_namesAreComparedExactly() {
        String base = name();
        Set<String> names = new LinkedHashSet<>(List.of(base, base.toUpperCase(Locale.ROOT)));
        for (String more : List.of(
                " ",
                "\t",
                "\n",
                "\u0000",
                "\u00a0",
                ":",
                "::",
                "*",
                "?",
                "\\",
                "/",
                "/.",
                "{",
                "}",
                "{}",
                "%",
                "%20",
                "%25",
                "+",
                "\u00e9",
                "e\u0301",
                "\u00df",
                "ss",
                ":lock",
                ":fence",
                ":freed",
                ":waiters")) {
            names.add(base + more);
            names.add(more + base);
        }
        names.add("{" + base + "}");
        names.add("lock." + base);
        names.add(currentHarness().config().keyPrefix() + ":" + base);
        names.add(currentHarness().config().keyPrefix() + ":{" + base + "}");
        assertAreDifferentLocks(List.copyOf(names));
    }

    @Test
    @Tag("chapter-10")
    public final void rule_10_8_anyCharacterMayBePartOfAName() {
        DistributedLockFactory another = newFactory();
        Actor actor = actor("holder");
        for (String odd : List.of(
                "\u0000",
                "\u0001\u007f",
                "\t",
                "\r\n",
                "\n*1\r\n",
                "{",
                "}",
                "}{",
                "[a-z]*?",
                "\\",
                "'",
                "\"",
                "`",
                "$(x)",
                "%s%n",
                "%",
                "../",
                "\u00a0",
                "\u202e",
                "\ufffd",
                "\uffff",
                "\u540d\u524d",
                "e\u0301",
                EMOJI)) {
            String name = odd + name() + odd;
            DistributedLock lock = factory().getLock(name);
            DistributedLock same = another.getLock(name);
            actor.does("lock() of a name with an odd character", lock::lock);
            assertHeldBySomebody(same);
            actor.does("unlock() of a name with an odd character", lock::unlock);
            assertFree(same);
        }
    }

    @Test
    @Tag("chapter-10")
    public final void rule_10_9_aLockAndItsLeaseTellTheNameAsItWasGiven() {
        for (String name : List.of(name(), " " + name() + "\n", "{" + name() + "}", "E\u0301" + name() + EMOJI)) {
            DistributedLock lock = factory().getLock(name);
            assertEquals(name, lock.name(), "name()");
            Actor actor = actor("holder");
            actor.does("lock()", lock::lock);
            Lease lease = actor.call("lease()", lock::lease).orElseThrow();
            assertEquals(name, lease.lockName(), "lockName()");
            actor.does("unlock()", lock::unlock);
        }
    }

    @Test
    @Tag("chapter-10")
    public final void rule_10_10_keyPrefixesSeparateLocks() {
        String prefix = currentHarness().config().keyPrefix() + "-2";
        DistributedLock here = lock();
        DistributedLock there = newFactory(config -> config.keyPrefix(prefix)).getLock(name());
        Actor actor = actor("holder");
        actor.does("lock()", here::lock);
        assertFree(there);
        assertHeldBySomebody(lockOfAnotherClient());
    }

    @Test
    @Tag("chapter-10")
    public final void rule_10_11_aKeyPrefixDoesNotRunIntoTheName() {
        String prefix = currentHarness().config().keyPrefix();
        DistributedLock longName = factory().getLock("x:" + name());
        DistributedLock longPrefix =
                newFactory(config -> config.keyPrefix(prefix + ":x")).getLock(name());
        Actor actor = actor("holder");
        actor.does("lock()", longName::lock);
        assertFree(longPrefix);
    }

    @Test
    @Tag("chapter-10")
    public final void rule_10_12_theDefaultsOfTheConfigurationApply() {
        DistributedLock lock = connected(newFactory(config -> config.lockDefaults(unrenewed(Scale.SHORT_LEASE))))
                .getLock(name());
        Actor actor = actor("holder");
        actor.does("lock()", () -> locked(lock));
        // If the machine stood still, the lease may be over already, which proves the same.
        actor.call("lease()", lock::lease)
                .ifPresent(lease -> assertTrue(
                        lease.remaining().compareTo(Scale.SHORT_LEASE) <= 0,
                        "the lease should be as short as the configuration says"));
        eventually("the lease ends, since the configuration switches renewal off", () -> {
            boolean held = actor.call("isHeldByCurrentThread()", lock::isHeldByCurrentThread);
            return !held;
        });
    }

    @Test
    @Tag("chapter-10")
    public final void rule_10_13_theStrategyHasOneNameInLowerKebabCase() {
        LockStrategyProvider provider = currentHarness().provider();
        assertTrue(provider.name().matches(KEBAB), () -> "\"" + provider.name() + "\" is not lower-kebab case");
        assertEquals(provider.name(), provider.name(), "the name of a provider, which does not change");
        assertEquals(provider.name(), factory().strategy(), "strategy() of a factory");
    }

    @Test
    @Tag("chapter-10")
    public final void rule_10_14_aFactoryPromisesNoMoreThanItsProvider() {
        LockStrategyProvider provider = currentHarness().provider();
        assertEquals(provider.profile(), provider.profile(), "the profile of a provider, which does not change");
        assertEquals(factory().profile(), newFactory().profile(), "the profiles of two factories of one configuration");
        assertTrue(
                provider.profile()
                        .capabilities()
                        .containsAll(factory().profile().capabilities()),
                "a factory declares a capability that its provider does not");
        assertFalse(provider.profile().summary().isBlank(), "the summary of the profile is blank");
    }

    @Test
    @Tag("chapter-10")
    public final void rule_10_15_theOptionsOfAStrategyCanBeToldApart() {
        List<StrategyOption> options = currentHarness().provider().options();
        Set<String> seen = new HashSet<>();
        for (StrategyOption option : options) {
            assertTrue(option.name().matches(KEBAB), () -> "\"" + option.name() + "\" is not lower-kebab case");
            assertTrue(seen.add(option.name().replace("-", "")), () -> "two options mean \"" + option.name() + "\"");
            assertFalse(option.description().isBlank(), () -> "option \"" + option.name() + "\" is not described");
        }
        assertEquals(options, currentHarness().provider().options(), "the options, which do not change");
    }

    @Test
    @Tag("chapter-10")
    public final void rule_10_16_textsShowTheLockAndNoPassword() {
        DistributedLock lock = lock();
        Actor actor = actor("holder");
        actor.does("lock()", lock::lock);
        Lease lease = actor.call("lease()", lock::lease).orElseThrow();
        assertTrue(lock.toString().contains(name()), "toString() of a lock should contain its name");
        assertTrue(lease.toString().contains(name()), "toString() of a lease should contain the name of its lock");
        List<String> own = passwords(currentHarness().config());
        assertShowsNone(own, "toString() of a lock", lock.toString());
        assertShowsNone(own, "toString() of a lease", lease.toString());
        assertShowsNone(own, "toString() of a factory", factory().toString());
        // The backend of the harness may need no password, but a client that does not connect can be given one.
        DistributedLockFactory client = newFactory(FaultRules::withPasswords);
        List<String> all = passwords(config(FaultRules::withPasswords));
        assertShowsNone(all, "toString() of a factory", client.toString());
        assertShowsNone(
                all,
                "toString() of a lock that nobody has asked for",
                client.getLock(name()).toString());
        assertShowsNone(
                all, "toString() of a provider", currentHarness().provider().toString());
    }

    @Test
    @Tag("chapter-10")
    @Needs(faults = Fault.PARTITION)
    public final void rule_10_17_nothingIsAskedOfTheBackendBeforeALockIs() {
        faults().inject(Fault.PARTITION);
        Actor actor = actor("caller");
        DistributedLockFactory client = actor.call("newFactory() in an outage", () -> newFactory());
        DistributedLock lock = actor.call("getLock() in an outage", () -> client.getLock(name()));
        assertNotHeld(actor, lock);
        assertTrue(actor.call("lease() in an outage", lock::lease).isEmpty(), "there should be no lease");
        actor.does("close() of an unused factory in an outage", client::close);
    }

    @Test
    @Tag("chapter-10")
    public final void rule_10_18_askingForATextChangesNothing() {
        connected(factory());
        Loser loser = loser(actor("loser"), "a").awaitLoss();
        loser.thread.does("toString() of the lock, the lease and the factory", () -> {
            assertNotNull(loser.lock.toString(), "the lock as a text");
            assertNotNull(loser.lease.toString(), "the lease as a text");
            assertNotNull(factory().toString(), "the factory as a text");
        });
        loser.isTold("lock() after toString(), which should not have told of the loss", DistributedLock::lock);
        DistributedLock lock = factory().getLock(name("b"));
        Actor holder = actor("holder");
        holder.does("lock()", lock::lock);
        holder.does("toString()", () -> assertNotNull(lock.toString(), "the lock as a text"));
        actor("stranger").does("toString()", () -> assertNotNull(lock.toString(), "the lock as a text"));
        assertEquals(1, holder.call("getHoldCount()", lock::getHoldCount), "getHoldCount() after toString()");
        assertHeldBySomebody(newFactory().getLock(name("b")));
    }

    @Test
    @Tag("chapter-10")
    public final void rule_10_19_textsShowNoOwnerToken() {
        // The random part of an owner token differs from client to client and from hold to hold; numbers may differ
        // anyway.
        DistributedLockFactory one = newFactory();
        DistributedLockFactory another = newFactory();
        Map<String, String> first = textsOf(one);
        Map<String, String> second = textsOf(another);
        // The text of a factory may include the state of its servers, which changes all the time.
        assertEquals(
                randomWordsOf(one.toString()),
                randomWordsOf(another.toString()),
                "what looks random in the text of a factory, which should be the same for two clients");
        first.forEach((what, text) -> assertEquals(
                lettersOf(text),
                lettersOf(Objects.requireNonNull(second.get(what))),
                "the letters of a text of " + what + ", which should be the same for two clients"));
    }

    private Map<String, String> textsOf(DistributedLockFactory client) {
        DistributedLock lock = client.getLock(name());
        Actor holder = actor("holder");
        return holder.call("toString() of everything", () -> {
            Map<String, String> texts = new TreeMap<>();
            lock.lock();
            texts.put("a lock", lock.toString());
            Lease lease = lock.lease().orElseThrow();
            texts.put("a lease", lease.toString());
            lock.unlock();
            texts.put("a lease that was given up", lease.toString());
            LockHandle handle = lock.acquire();
            texts.put("a handle", handle.toString());
            handle.close();
            texts.put("an exception", String.valueOf(assertThrows(IllegalMonitorStateException.class, lock::unlock)));
            return texts;
        });
    }

    /** The letters of a text, without identity hash codes. */
    private static String lettersOf(String text) {
        return text.replaceAll("@[0-9a-f]+", "").replaceAll("[^\\p{L}]", "");
    }

    /** The words of a text that may be a part of an owner token: long, with letters and digits. */
    private static Set<String> randomWordsOf(String text) {
        return Pattern.compile("[\\p{L}\\p{N}_-]{12,}")
                .matcher(text)
                .results()
                .map(MatchResult::group)
                .filter(word -> word.matches(".*\\p{L}.*") && word.matches(".*\\p{N}.*"))
                .collect(Collectors.toSet());
    }

    /** Asserts that all locks can be held at once, and that freeing some frees only those. */
    private void assertAreDifferentLocks(List<String> names) {
        DistributedLockFactory another = newFactory();
        Actor holder = actor("holder");
        Actor visitor = actor("visitor");
        for (String name : names) {
            boolean had = holder.call("tryLock()", factory().getLock(name)::tryLock);
            assertTrue(had, () -> "lock " + shown(name) + " should be free; is it one with another?");
        }
        for (int i = 0; i < names.size(); i += 2) {
            holder.does("unlock()", factory().getLock(names.get(i))::unlock);
        }
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i);
            boolean had = visitor.call("tryLock()", another.getLock(name)::tryLock);
            assertEquals(i % 2 == 0, had, () -> "whether another client gets lock " + shown(name));
        }
    }

    private static String shown(String name) {
        return name.length() + " characters, in UTF-8: "
                + PeerMain.encode(name.length() <= 100 ? name : name.substring(0, 100) + "...");
    }

    private void assertRefused(String what, String name) {
        assertThrows(IllegalArgumentException.class, () -> factory().getLock(name), what);
        LockOptions options = LockOptions.defaults();
        assertThrows(IllegalArgumentException.class, () -> factory().getLock(name, options), what);
        assertDoesNotThrow(() -> factory().getLock(name()), "a name that can be used, after one that cannot");
    }

    /** Returns null, hidden from the null checks of the compiler. */
    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
    private static <T> T nothing() {
        @Nullable T none = null;
        return none;
    }
}
