// SPDX-License-Identifier: Apache-2.0
package dev.interlock.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleNameEndingWith;
import static com.tngtech.archunit.core.domain.properties.CanBeAnnotated.Predicates.annotatedWith;
import static com.tngtech.archunit.core.domain.properties.HasModifiers.Predicates.modifier;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_THROW_GENERIC_EXCEPTIONS;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import dev.interlock.engine.threads.Timer;
import dev.interlock.spi.LockStrategyProvider;
import java.lang.reflect.Proxy;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The architecture, as rules over the compiled classes of all modules. */
class ArchitectureTest {
    private static final String ROOT = "dev.interlock";
    private static final String SPI = "dev.interlock.spi..";
    private static final String API_INTERNAL = "dev.interlock.internal..";
    private static final String ENGINE = "dev.interlock.engine..";
    private static final String REDIS = "dev.interlock.redis..";
    private static final String REDIS_ENDPOINT = "dev.interlock.redis.endpoint..";
    private static final String REDIS_INSPECT = "dev.interlock.redis.inspect..";
    private static final String REDISSON_INSPECT = "dev.interlock.redisson.inspect..";
    private static final String TEST_SERVERS = "dev.interlock.testservers..";
    private static final String TOOLS = "dev.interlock.tools..";
    private static final String SPECIMENS = "dev.interlock.specimens..";
    private static final String CONFORMANCE = "dev.interlock.conformance..";
    private static final String SPRING = "dev.interlock.spring..";
    private static final String[] INTEGRATIONS = {
        "dev.interlock.micrometer..", SPRING, "dev.interlock.springintegration.."
    };
    private static final String REDIS_HARNESS = "dev.interlock.conformance.redis..";
    private static final String PLAIN_LOCKS = "dev.interlock.conformance.plain..";
    private static final String PEERS = "dev.interlock.tools.peers..";
    private static final String[] KIT = {
        "java..",
        ROOT,
        SPI,
        "dev.interlock.conformance",
        "dev.interlock.conformance.certificate..",
        "dev.interlock.conformance.child..",
        "dev.interlock.conformance.harness..",
        "dev.interlock.conformance.history..",
        "dev.interlock.conformance.internal..",
        PLAIN_LOCKS,
        "org.jspecify.annotations"
    };
    private static final String[] CLIENTS = {"redis.clients..", "io.lettuce..", "org.redisson.."};

    private static final JavaClasses ALL = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .withImportOption(location -> !location.contains("/test-classes/"))
            .importPackages(ROOT)
            // The specimens are wrong on purpose.
            .that(not(resideInAPackage(SPECIMENS)));

    private static final JavaClasses LIBRARY = ALL.that(not(resideInAnyPackage(TOOLS)));

    /**
     * Every package that belongs to no other part is a strategy's, so that the rules hold for a new strategy from its
     * first day.
     */
    private static final DescribedPredicate<JavaClass> STRATEGIES = resideInAPackage("dev.interlock..")
            .and(not(resideInAnyPackage(ROOT, SPI, API_INTERNAL, ENGINE, REDIS, TEST_SERVERS, TOOLS, CONFORMANCE)))
            .and(not(resideInAnyPackage(INTEGRATIONS)))
            .as("strategies");

    /**
     * One slice each; {@code dev.interlock} and its {@code spi} name each other, as those of java.nio.file do (ADR 17).
     */
    private static final SliceAssignment PACKAGES = new SliceAssignment() {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            return SliceIdentifier.of(type.getPackageName().equals("dev.interlock.spi") ? ROOT : type.getPackageName());
        }

        @Override
        public String getDescription() {
            return "packages";
        }
    };

    private static final DescribedPredicate<JavaClass> LOCKING =
            resideInAnyPackage(ENGINE, REDIS).or(STRATEGIES).as("engine, redis and strategies");

    /**
     * The classes that use reflection. Each has its entries in a reachability-metadata.json, for native images.
     */
    private static final Set<String> REFLECTING = Set.of(
            "dev.interlock.ConfigSources",
            "dev.interlock.DistributedLocks",
            "dev.interlock.engine.environment.SystemEnvironment",
            "dev.interlock.redis.LuaScript",
            "dev.interlock.redis.client.HelperThreads",
            "dev.interlock.redis.client.lettuce.MaintenanceNotices",
            "dev.interlock.redis.connect.ClientLibrary",
            "dev.interlock.redisson.DaemonTimer",
            "dev.interlock.redisson.scripts.Script");

    private static final Set<String> REFLECTIVE = Set.of(
            "forName",
            "getConstructor",
            "getDeclaredConstructor",
            "getDeclaredField",
            "getDeclaredMethod",
            "getField",
            "getMethod",
            "getResource",
            "getResourceAsStream",
            "getResources",
            "loadClass",
            "newInstance",
            "newProxyInstance");

    @Test
    void whatANativeImageCannotSeeIsWhereItIsToldOf() {
        Set<String> found = new TreeSet<>();
        for (JavaClass type : LIBRARY.that(
                resideInAnyPackage(ROOT, SPI, API_INTERNAL, ENGINE, REDIS).or(STRATEGIES))) {
            type.getMethodCallsFromSelf().stream()
                    .filter(call -> isReflective(call.getTarget()))
                    .forEach(call -> found.add(type.getName().replaceFirst("\\$.*", "")));
        }
        assertThat(found)
                .as(
                        "classes that look for others, or for resources: if one is new, say in the reachability-metadata.json of"
                                + " its module what it finds, and add it here")
                .containsExactlyInAnyOrderElementsOf(REFLECTING);
    }

    private static boolean isReflective(AccessTarget.MethodCallTarget target) {
        JavaClass owner = target.getOwner();
        return owner.isEquivalentTo(ServiceLoader.class)
                || (owner.getPackageName().equals("java.lang.invoke")
                        && target.getName().startsWith("find"))
                || (Stream.of(Class.class, ClassLoader.class, Proxy.class, Module.class)
                                .anyMatch(owner::isEquivalentTo)
                        && REFLECTIVE.contains(target.getName()));
    }

    @Test
    void theApiNeedsNothingButTheJdk() {
        classes()
                .that()
                .resideInAnyPackage(ROOT, SPI, API_INTERNAL)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("java..", ROOT, SPI, API_INTERNAL, "org.jspecify.annotations")
                .because("whoever writes against the API takes no other dependency on")
                .check(ALL);
    }

    @Test
    void theEngineKnowsTheApiAndNoRedis() {
        classes()
                .that()
                .resideInAPackage(ENGINE)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("java..", "jdk.jfr", ROOT, SPI, ENGINE, "org.jspecify.annotations")
                .because("lock semantics are written once, for any backend")
                .check(ALL);
    }

    @Test
    void redisSupportKnowsNoStrategyAndNoTool() {
        noClasses()
                .that()
                .resideInAPackage(REDIS)
                .should()
                .dependOnClassesThat(STRATEGIES.or(resideInAnyPackage(TOOLS, TEST_SERVERS, CONFORMANCE)))
                .because("the arrows of the house point from strategies to redis to engine to api")
                .check(ALL);
    }

    @Test
    void readingAnEndpointNeedsNoClient() {
        classes()
                .that()
                .resideInAPackage(REDIS_ENDPOINT)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "java..",
                        "javax.net.ssl",
                        ROOT,
                        "dev.interlock.spi",
                        REDIS_ENDPOINT,
                        "org.jspecify.annotations")
                .because("a strategy over a client of its own takes this package and no other client (ADR 20)")
                .check(ALL);
    }

    @Test
    void aStrategyOverAClientOfItsOwnTakesEndpointsAndCardsAndNothingElseFromRedisSupport() {
        noClasses()
                .that(resideInAPackage("dev.interlock.redisson..").and(not(resideInAPackage(REDISSON_INSPECT))))
                .should()
                .dependOnClassesThat(
                        resideInAPackage(REDIS).and(not(resideInAnyPackage(REDIS_ENDPOINT, REDIS_INSPECT))))
                .because(
                        "Redisson brings its own connections, and neither Jedis nor Lettuce is there (ADR 20), but for the"
                                + " tools of operators (ADR 39)")
                .check(ALL);
    }

    @Test
    void strategiesKnowNoToolAndNoTest() {
        noClasses()
                .that(STRATEGIES)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(TOOLS, TEST_SERVERS, CONFORMANCE)
                .allowEmptyShould(true)
                .because("only the tests of a strategy may use the kit and the servers for tests")
                .check(ALL);
    }

    @Test
    void anIntegrationKnowsTheApiAndTheFrameworkItIsFor() {
        noClasses()
                .that()
                .resideInAnyPackage(INTEGRATIONS)
                .and()
                .resideOutsideOfPackage(SPRING)
                .should()
                .dependOnClassesThat(resideInAnyPackage(ENGINE, REDIS, TOOLS, TEST_SERVERS, CONFORMANCE)
                        .or(STRATEGIES)
                        .or(resideInAnyPackage(CLIENTS)))
                .because("it works with any strategy, and takes none on")
                .check(ALL);
    }

    /** It hands clients and certificates to the builders of the strategies, all of which are optional for it. */
    @Test
    void theAutoConfigurationKnowsWhatIsGivenToUsersAlone() {
        noClasses()
                .that()
                .resideInAPackage(SPRING)
                .should()
                .dependOnClassesThat(resideInAnyPackage(ENGINE, TEST_SERVERS, TOOLS, CONFORMANCE)
                        .or(resideInAPackage(REDIS).and(not(resideInAPackage(REDIS_ENDPOINT)))))
                .because("it does for an application what the application could do itself")
                .check(ALL);
    }

    @Test
    void integrationsDoNotKnowEachOther() {
        slices().matching("dev.interlock.(*)..")
                .that(describe(
                        "are integrations, but for the auto-configuration, which brings together what is there",
                        slice -> slice.stream()
                                .allMatch(resideInAnyPackage(INTEGRATIONS).and(not(resideInAPackage(SPRING))))))
                .should()
                .notDependOnEachOther()
                .because("an integration can be installed without the others")
                .check(ALL);
    }

    @Test
    void nothingKnowsTheAutoConfiguration() {
        noClasses()
                .that()
                .resideOutsideOfPackage(SPRING)
                .should()
                .dependOnClassesThat(resideInAPackage(SPRING))
                .because("the arrows of the house point from integrations to the API")
                .check(ALL);
    }

    @Test
    void embeddedServersKnowNothingOfLocks() {
        noClasses()
                .that()
                .resideInAPackage(TEST_SERVERS)
                .should()
                .dependOnClassesThat(resideInAPackage("dev.interlock..").and(not(resideInAPackage(TEST_SERVERS))))
                .because("servers for tests stand beside the house")
                .check(ALL);
    }

    @Test
    void theKitKnowsTheApiAndJUnitAlone() {
        classes()
                .that()
                .resideInAPackage(CONFORMANCE)
                .and()
                .resideOutsideOfPackage(REDIS_HARNESS)
                .should()
                .onlyDependOnClassesThat(
                        resideInAnyPackage(KIT).or(resideInAnyPackage("org.junit.jupiter.api..", "org.opentest4j..")))
                .because("a strategy over any backend is tested by the same rules")
                .check(ALL);
    }

    @Test
    void theHarnessOnRedisKnowsTheKitAndServersForTests() {
        classes()
                .that()
                .resideInAPackage(REDIS_HARNESS)
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(KIT)
                        .or(resideInAnyPackage(
                                REDIS_HARNESS, TEST_SERVERS, "org.testcontainers..", "com.github.dockerjava.api..")))
                .because("it starts servers and breaks them, and does not care for locks (ADR 9)")
                .check(ALL);
    }

    @Test
    void strategiesDoNotKnowEachOther() {
        slices().matching("dev.interlock.(*)..")
                .that(describe("are strategies", slice -> slice.stream().allMatch(STRATEGIES)))
                .should()
                .notDependOnEachOther()
                .allowEmptyShould(true)
                .because("a strategy can be installed without the others")
                .check(ALL);
    }

    @Test
    void noPublicSignatureOfApiAndEngineShowsAClient() {
        publicSignaturesShowNoClient(resideInAnyPackage(ROOT, SPI, ENGINE).as("api and engine"))
                .because("which client is used is a matter of the strategy")
                .check(ALL);
    }

    @Test
    void ofAStrategyOnlyTheBuilderShowsAClient() {
        publicSignaturesShowNoClient(
                        STRATEGIES.and(not(simpleNameEndingWith("Builder"))).and(not(simpleNameEndingWith("Locks"))))
                .allowEmptyShould(true)
                .because(
                        "the builder and its entry point, named ...Locks, are where an application hands its client in")
                .check(ALL);
    }

    private static ArchRule publicSignaturesShowNoClient(DescribedPredicate<JavaClass> owners) {
        DescribedPredicate<JavaClass> client = resideInAnyPackage(CLIENTS);
        return classes()
                .that(owners)
                .and()
                .arePublic()
                .should(condition("show no client type in a public signature", (type, violations) -> {
                    for (JavaCodeUnit unit : type.getCodeUnits()) {
                        boolean promised = unit.getModifiers().contains(JavaModifier.PUBLIC)
                                || unit.getModifiers().contains(JavaModifier.PROTECTED);
                        Stream<JavaClass> shown = Stream.of(
                                        Stream.of(unit.getReturnType()),
                                        unit.getParameterTypes().stream(),
                                        unit.getExceptionTypes().stream())
                                .flatMap(types -> types)
                                .flatMap(shownType -> shownType.getAllInvolvedRawTypes().stream());
                        if (promised && shown.anyMatch(client)) {
                            violations.accept(unit.getDescription() + " shows a client type");
                        }
                    }
                }));
    }

    @Test
    void timeWaitingThreadsAndChanceComeFromTheEnvironmentAlone() {
        DescribedPredicate<JavaClass> governed =
                LOCKING.and(not(assignableTo("dev.interlock.engine.environment.SystemEnvironment")));
        noClasses()
                .that(governed)
                .should()
                .accessTargetWhere(target(
                        "reads a clock, waits, draws a random number or uses a default pool", access -> {
                            String owner = access.getTargetOwner().getName();
                            String member = access.getTarget().getName();
                            return switch (owner) {
                                case "java.lang.System" ->
                                    member.equals("nanoTime") || member.equals("currentTimeMillis");
                                case "java.lang.Thread" ->
                                    Set.of("sleep", "yield", "onSpinWait", "startVirtualThread", "<init>")
                                            .contains(member);
                                case "java.lang.Object" -> member.equals("wait");
                                case "java.lang.Math" -> member.equals("random");
                                case "java.util.Date" -> !member.equals("getTime");
                                case "java.util.UUID" -> member.equals("randomUUID");
                                case "java.util.Timer",
                                        "java.util.Random",
                                        "java.security.SecureRandom",
                                        "java.util.concurrent.ThreadLocalRandom",
                                        "java.util.concurrent.locks.LockSupport",
                                        "java.util.concurrent.ForkJoinPool",
                                        "java.util.concurrent.Executors" -> true;
                                case "java.util.concurrent.TimeUnit" ->
                                    member.equals("sleep") || member.startsWith("timed");
                                case "java.util.concurrent.CompletableFuture" ->
                                    (member.endsWith("Async") && !takesExecutor(access))
                                            || member.equals("delayedExecutor")
                                            || member.equals("orTimeout")
                                            || member.equals("completeOnTimeout");
                                default ->
                                    member.equals("parallelStream")
                                            || (owner.startsWith("java.util.stream.") && member.equals("parallel"))
                                            || (owner.startsWith("java.time.") && member.equals("now"));
                            };
                        }))
                .because("engine, redis and strategies must run under a virtual clock as they do in life")
                .check(ALL);
    }

    private static boolean takesExecutor(JavaAccess<?> access) {
        return access.getTarget() instanceof AccessTarget.CodeUnitAccessTarget called
                && called.getRawParameterTypes().stream().anyMatch(type -> type.isAssignableTo(Executor.class));
    }

    /**
     * Their methods take a few instructions, and neither wait nor do I/O; a lock object in each would cost more than
     * the rest.
     */
    private static final Set<String> MONITORS = Set.of(
            "dev.interlock.engine.Cell",
            "dev.interlock.engine.LocalQueue",
            "dev.interlock.engine.SeveralHold",
            "dev.interlock.engine.loss.Interruption",
            "dev.interlock.engine.loss.LostHolds",
            "dev.interlock.redlock.lead.KnownRoots",
            "dev.interlock.redlock.lead.Turn",
            "dev.interlock.setnxgetset.WrittenTimestamps");

    @Test
    void noMethodThatWaitsPinsAVirtualThread() {
        noMethods()
                .that()
                .areDeclaredInClassesThat(
                        LOCKING.and(describe("are no monitors", type -> !MONITORS.contains(type.getName()))))
                .should()
                .haveModifier(JavaModifier.SYNCHRONIZED)
                .because("a virtual thread that waits in a synchronized method holds its carrier on Java 17 to 23;"
                        + " ArchUnit does not see synchronized blocks")
                .check(ALL);
    }

    @Test
    void aClassHasAtMostOneSuperclassOfOurs() {
        classes()
                .that()
                .resideInAPackage("dev.interlock..")
                .and()
                .areNotAssignableTo("dev.interlock.conformance.internal.rules.Stage")
                .should(condition("have at most one superclass of ours", (type, violations) -> {
                    long ours = type.getAllRawSuperclasses().stream()
                            .filter(resideInAPackage("dev.interlock.."))
                            // Timer entries are extended, so that the timer needs no further object for each.
                            .filter(superclass -> !superclass.isEquivalentTo(Timer.Entry.class))
                            .count();
                    if (ours > 1) {
                        violations.accept(type.getDescription() + " has " + ours + " superclasses of ours");
                    }
                }))
                .because("verbs are composed, not inherited; the kit is run by extending one class, and its chapters"
                        + " are the superclasses of that")
                .check(ALL);
    }

    @Test
    void publicClassesAreNotMadeForInheritance() {
        classes()
                .that()
                .arePublic()
                .and()
                .areTopLevelClasses()
                .and()
                .areNotInterfaces()
                .and()
                .areNotAssignableTo(Throwable.class)
                .and()
                .resideOutsideOfPackage(CONFORMANCE)
                .should()
                .haveModifier(JavaModifier.FINAL)
                .because("what is public is promised, and a class to extend promises more than a class to use")
                .check(ALL);
    }

    @Test
    void providersAreFinalAndDoNothingWhenTheyAreMade() {
        classes()
                .that()
                .implement(LockStrategyProvider.class)
                // Other locks in the form that the rules and tools ask for; nobody looks for them.
                .and()
                .resideOutsideOfPackages(PLAIN_LOCKS, PEERS)
                .should()
                .bePublic()
                .andShould()
                .haveModifier(JavaModifier.FINAL)
                .andShould()
                .haveSimpleNameEndingWith("StrategyProvider")
                .andShould(condition(
                        "have a public constructor without parameters that only returns", (type, violations) -> {
                            JavaConstructor constructor =
                                    type.tryGetConstructor().orElse(null);
                            if (constructor == null
                                    || !constructor.getModifiers().contains(JavaModifier.PUBLIC)) {
                                violations.accept(
                                        type.getDescription() + " has no public constructor without parameters");
                            } else {
                                constructor.getAccessesFromSelf().stream()
                                        .filter(access -> !access.getTargetOwner()
                                                        .getPackageName()
                                                        .startsWith("java.")
                                                && !access.getTargetOwner().equals(type))
                                        .forEach(access -> violations.accept(access.getDescription()));
                            }
                        }))
                .allowEmptyShould(true)
                .because("ServiceLoader makes every provider there is in order to find one")
                .check(ALL);
    }

    @Test
    void packagesFormNoCycle() {
        slices().assignedFrom(PACKAGES)
                .should()
                .beFreeOfCycles()
                .because("nothing points back")
                .check(ALL);
    }

    @Test
    void errorsHaveTypes() {
        NO_CLASSES_SHOULD_THROW_GENERIC_EXCEPTIONS
                .because("a caller must be able to tell errors apart")
                .check(ALL);
    }

    @Test
    void whatAPublicMethodThrowsHasAType() {
        noMethods()
                .that()
                .arePublic()
                .and()
                .areDeclaredInClassesThat(modifier(JavaModifier.PUBLIC))
                .and()
                .areDeclaredInClassesThat(resideInAnyPackage(ROOT, SPI, REDIS, ENGINE, TEST_SERVERS)
                        .or(resideInAnyPackage(INTEGRATIONS))
                        .or(STRATEGIES))
                .should()
                .declareThrowableOfType(Exception.class)
                .orShould()
                .declareThrowableOfType(Throwable.class)
                .because("a caller must be able to tell errors apart")
                .check(ALL);
    }

    @Test
    void librariesLeaveTheStandardStreamsAlone() {
        NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS
                .because("standard streams belong to the application; a process that the kit starts is asked and"
                        + " answers by them, and the kit prints its certificates")
                .check(LIBRARY.that(not(assignableTo("dev.interlock.conformance.internal.peer.PeerMain")
                        .or(assignableTo("dev.interlock.conformance.internal.run.CertificateWriter"))
                        .or(assignableTo("dev.interlock.testservers.ParentJvm")))));
    }

    @Test
    void librariesLogByTheSystemLoggerAlone() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "java.util.logging..", "org.slf4j..", "org.apache.logging..", "org.apache.commons.logging..")
                .because("System.Logger leaves the choice of a logger to the application")
                .check(LIBRARY);
    }

    @Test
    void noDeprecatedClientIsUsed() {
        noClasses()
                .that(LOCKING)
                .should()
                .dependOnClassesThat(resideInAnyPackage(CLIENTS).and(annotatedWith(Deprecated.class)))
                .because("a client's next version takes it away")
                .check(ALL);
    }

    private static DescribedPredicate<JavaAccess<?>> target(String description, Predicate<JavaAccess<?>> test) {
        return DescribedPredicate.describe(description, test);
    }

    private static ArchCondition<JavaClass> condition(
            String description, BiConsumer<JavaClass, Consumer<String>> check) {
        return new ArchCondition<>(description) {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                check.accept(type, message -> events.add(SimpleConditionEvent.violated(type, message)));
            }
        };
    }
}
