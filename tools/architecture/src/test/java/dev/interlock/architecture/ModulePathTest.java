// SPDX-License-Identifier: Apache-2.0
package dev.interlock.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.interlock.DistributedLocks;
import dev.interlock.LockConfig;
import dev.interlock.redis.inspect.LockInspectionProvider;
import dev.interlock.spi.LockStrategyProvider;
import java.io.File;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.lang.module.ResolvedModule;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The tests run on the class path; here the same jars are a module path. */
class ModulePathTest {
    private static final ModuleFinder MODULE_PATH =
            ModuleFinder.of(Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                    .map(Path::of)
                    .filter(ModulePathTest::isOfAProgramThatUsesInterlock)
                    .toArray(Path[]::new));

    /** Leaves out what only the comparison and its tests need. */
    private static boolean isOfAProgramThatUsesInterlock(Path entry) {
        String path = entry.toString().replace(File.separatorChar, '/');
        return path.matches(
                        ".*/(api|engine|redis|strategy-[a-z-]+)/target/.*|.*/interlock-(api|engine|redis|strategy)[^/]*\\.jar")
                || path.matches(
                        ".*/(jedis|slf4j-api|commons-pool2|json|redis-authx-core|lettuce-core|redisson|netty-common)-[^/]*\\.jar");
    }

    @Test
    void aProgramThatRequiresTheApiFindsTheStrategiesOnTheModulePath() {
        Configuration configuration = ModuleLayer.boot()
                .configuration()
                .resolveAndBind(MODULE_PATH, ModuleFinder.of(), Set.of("dev.interlock"));
        ModuleLayer layer =
                ModuleLayer.boot().defineModulesWithOneLoader(configuration, ClassLoader.getPlatformClassLoader());
        assertThat(configuration.modules().stream().map(ResolvedModule::name)).contains("dev.interlock.setnxpx");

        Class<?> service = load(layer, LockStrategyProvider.class.getName());
        List<String> found = ServiceLoader.load(layer, service).stream()
                .map(provider -> provider.type().getName())
                .sorted()
                .collect(Collectors.toList());
        List<String> onTheClassPath = DistributedLocks.strategies().stream()
                .map(provider -> provider.getClass().getName())
                .filter(name -> !name.startsWith("dev.interlock.tools."))
                .sorted()
                .toList();
        assertThat(found).isEqualTo(onTheClassPath).isNotEmpty();
    }

    /** Their scripts are resources, which a module keeps to itself unless it opens them. */
    @ParameterizedTest
    @CsvSource({"set-nx-px, 1", "setnx-getset, 1", "redlock, 3"})
    void strategiesFindTheirScriptsOnTheModulePath(String strategy, int servers) throws Exception {
        Configuration configuration = ModuleLayer.boot()
                .configuration()
                .resolveAndBind(MODULE_PATH, ModuleFinder.of(), Set.of("dev.interlock"));
        ModuleLayer layer =
                ModuleLayer.boot().defineModulesWithOneLoader(configuration, ClassLoader.getPlatformClassLoader());
        String endpoints = IntStream.rangeClosed(1, servers)
                .mapToObj(port -> "redis://127.0.0.1:" + port)
                .collect(Collectors.joining(","));
        Class<?> configs = load(layer, LockConfig.class.getName());
        Object config = configs.getMethod("of", String.class).invoke(null, endpoints);
        ClassLoader ours = Thread.currentThread().getContextClassLoader();
        // Or it would find those of the class path, which are none of this layer's.
        Thread.currentThread().setContextClassLoader(layer.findLoader("dev.interlock"));
        try {
            Object factory = load(layer, DistributedLocks.class.getName())
                    .getMethod("getInstance", String.class, configs)
                    .invoke(null, strategy, config);
            // It is there: the first lock, for which there is no server, would be next.
            assertThat(factory.getClass().getModule().getLayer()).isSameAs(layer);
            ((AutoCloseable) factory).close();
        } finally {
            Thread.currentThread().setContextClassLoader(ours);
        }

        Class<?> inspections = load(layer, LockInspectionProvider.class.getName());
        for (Object provider : ServiceLoader.load(layer, inspections)) {
            if (inspections.getMethod("strategy").invoke(provider).equals(strategy)) {
                ((AutoCloseable) inspections.getMethod("open", configs).invoke(provider, config)).close();
            }
        }
    }

    @Test
    void jarsForTestsHaveModuleNamesThatStayWhenAFileIsRenamed() {
        Path[] jars = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> entry.matches(".*interlock-(conformance-tests|test-servers)-[^/]*\\.jar"))
                .map(Path::of)
                .toArray(Path[]::new);
        assumeTrue(jars.length > 0, "the build has not gone as far as to make jars");
        assertThat(ModuleFinder.of(jars).findAll().stream()
                        .map(module -> module.descriptor().name()))
                .containsExactlyInAnyOrder("dev.interlock.conformance", "dev.interlock.testservers");
    }

    private static Class<?> load(ModuleLayer layer, String name) {
        try {
            return layer.findLoader("dev.interlock").loadClass(name);
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }
}
