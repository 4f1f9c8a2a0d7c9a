// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.wrong;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.Lease;
import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LockConfig;
import dev.interlock.LockOptions;
import dev.interlock.conformance.memory.ForwardingProtocol;
import dev.interlock.conformance.memory.MemoryServer;
import dev.interlock.conformance.memory.WrongLock;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.specimens.ForwardingFactory;
import dev.interlock.specimens.ForwardingLease;
import dev.interlock.specimens.ForwardingLock;
import dev.interlock.spi.Capability;
import dev.interlock.spi.StrategyOption;
import dev.interlock.spi.StrategyProfile;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;

final class WrongNames {
    private static final int MAX_BYTES = 512;

    private WrongNames() {}

    static List<WrongLock> locks() {
        return List.of(
                WrongOwnership.ofEachLock(
                        "aTextTellsOfALoss",
                        lock -> new ForwardingLock(lock) {
                            @Override
                            public String toString() {
                                return super.toString() + (isHeldByCurrentThread() ? ", held" : "");
                            }
                        },
                        "10.18"),
                new WrongLock("theTextOfAFactoryShowsWhatIsRandom", "10.19") {
                    @Override
                    protected DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
                        String random = UUID.randomUUID().toString();
                        return new ForwardingFactory(correct) {
                            @Override
                            public String toString() {
                                return super.toString() + " " + random;
                            }
                        };
                    }
                },
                new WrongLock("textsShowTheToken", "10.19") {
                    private final Map<String, String> tokens = new ConcurrentHashMap<>();

                    @Override
                    protected LeaseProtocol protocol(MemoryServer server, LockConfig config) {
                        return new ForwardingProtocol(super.protocol(server, config)) {
                            @Override
                            public Attempt attempt(Claim claim) {
                                tokens.put(claim.name(), claim.token());
                                return super.attempt(claim);
                            }
                        };
                    }

                    @Override
                    protected DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
                        return new ForwardingFactory(correct) {
                            @Override
                            protected DistributedLock spoil(DistributedLock lock) {
                                return new ForwardingLock(lock) {
                                    @Override
                                    public String toString() {
                                        return super.toString() + tokens.getOrDefault(name(), "");
                                    }
                                };
                            }
                        };
                    }
                },
                new MendedNames("aNameThatIsNullIsTheTextNull", String::valueOf, "10.1"),
                new MendedNames("aBlankNameIsADefaultName", name -> name.isBlank() ? "default" : name, "10.3"),
                new MendedNames("aLongNameIsCut", WrongNames::cut, "10.4"),
                new MendedNames("halfASurrogatePairIsAQuestionMark", WrongNames::recoded, "10.6"),
                new WrongLock("optionsThatAreNullAreDefaults", "10.2") {
                    @Override
                    protected DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
                        return new ForwardingFactory(correct) {
                            @Override
                            public DistributedLock getLock(String name, LockOptions options) {
                                return options == null ? super.getLock(name) : super.getLock(name, options);
                            }
                        };
                    }
                },
                new MendedNames("aNameOf512BytesIsTooLong", WrongNames::shorterThanMaximum, "10.5"),
                new Keyed("keysAreCutAt255Characters", (prefix, name) -> cut(prefix + name, 255), "10.5"),
                new Keyed("keysAreInLowerCase", (prefix, name) -> (prefix + name).toLowerCase(Locale.ROOT), "10.7"),
                new Keyed("keysAreStripped", (prefix, name) -> prefix + " " + name.strip(), "10.7"),
                new Keyed("keysAreRelatedToPaths", (prefix, name) -> prefix + "/" + name.replace("/.", ""), "10.7"),
                new WrongLock("namesAreSentUnquoted", "10.7", "10.8", "10.9") {
                    @Override
                    protected LeaseProtocol protocol(MemoryServer server, LockConfig config) {
                        return new ForwardingProtocol(super.protocol(server, config)) {
                            @Override
                            public Attempt attempt(Claim claim) {
                                return claim.name().contains("\n")
                                        ? new Attempt.Failed(
                                                new LockBackendException(Reason.REFUSED, "unknown command"))
                                        : super.attempt(claim);
                            }
                        };
                    }
                },
                new WrongFaults.SpoiltLock("aLockTellsItsKeyForItsName", KeyForName::new, "10.9"),
                new Keyed("theKeyPrefixIsIgnored", (prefix, name) -> name, "10.10"),
                new Keyed("theKeyPrefixRunsIntoTheName", (prefix, name) -> prefix + ":" + name, "10.11"),
                new WrongLock("theDefaultsOfTheConfigurationAreIgnored", "10.12", "11.11") {
                    @Override
                    protected LockConfig config(LockConfig config) {
                        return config.toBuilder()
                                .lockDefaults(LockOptions.defaults())
                                .build();
                    }
                },
                new WrongLock("theProviderHasANameInCamelCase", "10.13") {
                    @Override
                    protected String providerName() {
                        return "memoryLocks";
                    }
                },
                new WrongLock("theFactoryHasAnotherNameThanItsProvider", "10.13", "11.7") {
                    @Override
                    protected DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
                        return new ForwardingFactory(correct) {
                            @Override
                            public String strategy() {
                                return "memory-2";
                            }
                        };
                    }
                },
                new WrongLock("theFactoryPromisesMoreThanItsProvider", "10.14") {
                    @Override
                    protected DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
                        return new ForwardingFactory(correct) {
                            @Override
                            public StrategyProfile profile() {
                                return new StrategyProfile(
                                        "more than was promised",
                                        EnumSet.allOf(Capability.class),
                                        super.profile().assumptions());
                            }
                        };
                    }
                },
                new WrongLock("twoOptionsHaveOneMeaning", "10.15") {
                    @Override
                    protected List<StrategyOption> options() {
                        return List.of(
                                new StrategyOption("drift-factor", "0.01", "A fraction."),
                                new StrategyOption("driftfactor", "0.01", "A fraction."));
                    }
                },
                new WrongFaults.SpoiltLock("textsDoNotNameTheLock", Nameless::new, "10.16"),
                new WrongLock("textsShowThePasswordWhereOneClientHasOne", "10.16") {
                    @Override
                    protected String endpoints() {
                        return "redis://localhost";
                    }

                    @Override
                    protected DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
                        return new ForwardingFactory(correct) {
                            @Override
                            public String toString() {
                                return "factory that logs in with "
                                        + password(config).orElse("no password");
                            }
                        };
                    }
                },
                new WrongLock("textsShowThePassword", "10.16") {
                    @Override
                    protected DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
                        return new ForwardingFactory(correct) {
                            @Override
                            public String toString() {
                                return "factory that logs in with "
                                        + password(config).orElseThrow();
                            }
                        };
                    }
                },
                new WrongLock("theBackendIsAskedBeforeALockIs", "10.17") {
                    @Override
                    protected LeaseProtocol protocol(MemoryServer server, LockConfig config) {
                        server.request(config.commandTimeout(), () -> "connected");
                        return super.protocol(server, config);
                    }
                });
    }

    private static String cut(String name) {
        return cut(name, MAX_BYTES);
    }

    private static String cut(String text, int length) {
        return text.length() <= length ? text : text.substring(0, length);
    }

    private static String recoded(String name) {
        return new String(name.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }

    private static String shorterThanMaximum(String name) {
        if (name.getBytes(StandardCharsets.UTF_8).length >= MAX_BYTES) {
            throw new IllegalArgumentException("too long");
        }
        return name;
    }

    /** Accepts names that it should refuse, after changing them, or refuses some that it should not. */
    private static final class MendedNames extends WrongLock {
        private final UnaryOperator<String> mending;

        MendedNames(String name, UnaryOperator<String> mending, String... breaks) {
            super(name, breaks);
            this.mending = mending;
        }

        @Override
        protected DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
            return new ForwardingFactory(correct) {
                @Override
                public DistributedLock getLock(String name) {
                    return super.getLock(mending.apply(name));
                }

                @Override
                public DistributedLock getLock(String name, LockOptions options) {
                    return super.getLock(mending.apply(name), options);
                }
            };
        }
    }

    /** Makes keys of a prefix and a name in its own way. */
    private static final class Keyed extends WrongLock {
        private final BinaryOperator<String> keying;

        Keyed(String name, BinaryOperator<String> keying, String... breaks) {
            super(name, breaks);
            this.keying = keying;
        }

        @Override
        protected String key(LockConfig config, String name) {
            return keying.apply(config.keyPrefix(), name);
        }
    }

    private static final class KeyForName extends ForwardingLock {
        KeyForName(DistributedLock correct) {
            super(correct);
        }

        @Override
        protected Lease spoil(Lease lease) {
            return new ForwardingLease(lease) {
                @Override
                public String lockName() {
                    return "interlock:{" + super.lockName() + "}";
                }
            };
        }
    }

    private static final class Nameless extends ForwardingLock {
        Nameless(DistributedLock correct) {
            super(correct);
        }

        @Override
        public String toString() {
            return "a lock";
        }
    }
}
