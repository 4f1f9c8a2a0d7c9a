// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockConfig;
import dev.interlock.engine.InMemoryProtocol.Verb;
import dev.interlock.engine.Person.Call;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Several factories under random faults, interrupts, pauses and clock steps, each run the same for the same seed. */
class SimulationTest {
    private static final int SEEDS = Integer.getInteger("interlock.simulation.seeds", 30);
    private static final long FIRST = Long.getLong("interlock.simulation.first", 1);
    private static final Logger LOG = Logger.getLogger("dev.interlock.engine");
    private static final String[] NAMES = {"a", "b"};

    @BeforeAll
    static void quiet() {
        LOG.setLevel(Level.OFF);
    }

    @AfterAll
    static void loud() {
        LOG.setLevel(null);
    }

    @Test
    void nothingThatGoesWrongBreaksAPromise() {
        runAll(FIRST, SEEDS);
    }

    @Test
    @Tag("deep")
    void nothingThatGoesWrongBreaksAPromiseWithManyMoreSeeds() {
        runAll(FIRST + SEEDS, 10 * SEEDS);
    }

    private static void runAll(long first, int seeds) {
        int acquired = 0;
        for (long seed = first; seed < first + seeds; seed++) {
            acquired += run(seed, (int) (seed % 4) * 10);
        }
        assertThat(acquired).as("locks acquired").isGreaterThan(seeds * 20);
    }

    @Test
    void aRunIsTheSameForTheSameSeed() {
        assertThat(run(7, 20)).isEqualTo(run(7, 20));
    }

    private static int run(long seed, int faultPercent) {
        VirtualEnvironment env = VirtualEnvironment.shuffled(seed);
        Random random = new Random(seed);
        boolean forgets = seed % 5 == 0;
        InMemoryServer server = new InMemoryServer(env);
        Chaos chaos = new Chaos(env, !forgets);
        List<LockEngine> engines = new ArrayList<>();
        List<InMemoryProtocol> protocols = new ArrayList<>();
        List<Person> people = new ArrayList<>();
        List<Call<Void>> calls = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            InMemoryProtocol protocol = new InMemoryProtocol(env, server);
            protocol.always(Verb.ATTEMPT, Chaos.faults(random, faultPercent));
            protocol.always(Verb.RENEW, Chaos.faults(random, faultPercent));
            protocol.always(Verb.RELEASE, Chaos.faults(random, faultPercent));
            protocol.listens = random.nextInt(4) > 0;
            protocol.confirmsListening = random.nextBoolean();
            protocol.queues = seed % 3 == 0 || seed % 3 == 1 && random.nextBoolean();
            protocols.add(protocol);
            LockConfig config = LockConfig.builder()
                    .endpoints("redis://localhost")
                    .waitCeiling(Duration.ofMillis(100))
                    .localHandoffs(random.nextInt(4))
                    .build();
            LockEngine engine = (LockEngine) LockEngine.newFactory("memory", EngineTest.PROFILE, protocol, config, env);
            engines.add(engine);
            for (int j = 0; j < 3; j++) {
                Person person = env.person("person " + i + j);
                long personSeed = random.nextLong();
                people.add(person);
                calls.add(person.does(() -> chaos.work(engine, 12, personSeed, NAMES)));
            }
        }
        for (int i = 0; i < 4000 && !calls.stream().allMatch(Call::isDone); i++) {
            env.advance(Duration.ofMillis(random.nextInt(40)));
            switch (random.nextInt(40)) {
                case 0, 1, 2 -> people.get(random.nextInt(people.size())).interrupt();
                case 3 -> env.stepWall(Duration.ofMillis(random.nextInt(2000) - 1000));
                case 4 -> env.oversleep(people.get(random.nextInt(people.size())), Duration.ofMillis(700));
                case 5 -> {
                    if (forgets) {
                        server.delete(NAMES[random.nextInt(2)]);
                    }
                }
                case 6 -> server.publish(NAMES[random.nextInt(2)]);
                case 7 -> server.losesMessages = random.nextBoolean();
                default -> {}
            }
        }
        String run = "seed " + seed;
        assertThat(calls).as(run + ": all finish").allMatch(Call::isDone);
        calls.forEach(Call::value);
        assertThat(chaos.violations()).as(run).isEmpty();
        protocols.forEach(InMemoryProtocol::heal);
        env.advance(Duration.ofMinutes(2));
        for (int i = 0; i < engines.size(); i++) {
            assertThat(engines.get(i).core().cells().size()).as(run + ": cells").isZero();
            assertThat(protocols.get(i).breaches()).as(run).isEmpty();
            engines.get(i).close();
        }
        for (String name : NAMES) {
            assertThat(server.isFree(name)).as(run + ": " + name + " is free").isTrue();
        }
        assertThat(server.places()).as(run + ": places").isZero();
        env.close();
        assertThat(env.threads()).as(run + ": threads").isEmpty();
        return chaos.acquired();
    }
}
