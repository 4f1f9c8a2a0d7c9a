// SPDX-License-Identifier: Apache-2.0
package dev.interlock.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.interlock.DistributedLocks;
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
import org.junit.jupiter.api.Test;

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
