// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.spring.Locked;
import dev.interlock.spring.TestRedis;
import java.io.IOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.TestCompiler;
import org.springframework.javapoet.ClassName;
import org.springframework.util.AntPathMatcher;
import org.springframework.util.ClassUtils;

/** The jars contain the metadata that a native image needs. */
class NativeImageTest {
    private static final String METADATA = "META-INF/native-image/dev.interlock/%s/reachability-metadata.json";

    static List<LockStrategyProvider> strategies() {
        return DistributedLocks.strategies();
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> metadata(String artifact, String kind) throws IOException {
        URL url = NativeImageTest.class.getClassLoader().getResource(METADATA.formatted(artifact));
        assertThat(url).as("the metadata of " + artifact).isNotNull();
        try (var in = url.openStream()) {
            Map<String, Object> json =
                    JsonParserFactory.getJsonParser().parseMap(new String(in.readAllBytes(), StandardCharsets.UTF_8));
            return (List<Map<String, Object>>) json.getOrDefault(kind, List.of());
        }
    }

    private static List<String> scripts(String folder) throws IOException {
        List<String> scripts = new ArrayList<>();
        for (Resource script :
                new PathMatchingResourcePatternResolver().getResources("classpath*:" + folder + "/**/*.lua")) {
            String url = script.getURL().toString();
            scripts.add(url.substring(url.indexOf(folder)));
        }
        assertThat(scripts).isNotEmpty();
        return scripts;
    }

    private static void assertIncluded(List<String> resources, String artifact) throws IOException {
        List<Object> globs = metadata(artifact, "resources").stream()
                .map(entry -> entry.get("glob"))
                .toList();
        AntPathMatcher matcher = new AntPathMatcher();
        assertThat(resources)
                .allSatisfy(resource -> assertThat(globs).anyMatch(glob -> matcher.match((String) glob, resource)));
    }

    @ParameterizedTest
    @MethodSource("strategies")
    void theResourcesOfAStrategyAreIncluded(LockStrategyProvider strategy) throws IOException {
        String artifact = "interlock-strategy-" + strategy.name();
        assertIncluded(scripts(strategy.getClass().getPackageName().replace('.', '/')), artifact);
        assertIncluded(List.of("META-INF/services/" + LockStrategyProvider.class.getName()), artifact);
        assertThat(metadata(artifact, "reflection"))
                .anyMatch(entry -> entry.get("type").equals(strategy.getClass().getName()));
    }

    @Test
    void theScriptsThatStrategiesShareAreIncluded() throws IOException {
        assertIncluded(scripts("dev/interlock/redis"), "interlock-redis");
    }

    @Test
    void theFileInWhichAnApplicationConfiguresLocksIsIncluded() throws IOException {
        assertIncluded(List.of("interlock.properties"), "interlock-api");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "interlock-api",
                "interlock-engine",
                "interlock-redis",
                "interlock-strategy-redisson",
                "interlock-strategy-redlock",
                "interlock-strategy-set-nx-px",
                "interlock-strategy-setnx-getset"
            })
    @SuppressWarnings("unchecked")
    void whatIsReflectedOnIsThere(String artifact) throws IOException {
        for (Map<String, Object> entry : metadata(artifact, "reflection")) {
            String type = (String) entry.get("type");
            if (type.startsWith("java.lang.Thread") && Runtime.version().feature() < 21) {
                continue;
            }
            Class<?> found = ClassUtils.resolveClassName(type, null);
            for (var method : (List<Map<String, Object>>) entry.getOrDefault("methods", List.of())) {
                String name = (String) method.get("name");
                assertThat(name.equals("<init>")
                                || List.of(found.getMethods()).stream()
                                        .anyMatch(it -> it.getName().equals(name)))
                        .as(type + "." + name)
                        .isTrue();
            }
            for (var field : (List<Map<String, Object>>) entry.getOrDefault("fields", List.of())) {
                try {
                    found.getDeclaredField((String) field.get("name"));
                } catch (NoSuchFieldException e) {
                    fail("no field", e);
                }
            }
        }
    }

    @Test
    void lockedMethodsAndTheirFallbacksCanBeCalled() throws NoSuchMethodException {
        RuntimeHints hints = new RuntimeHints();
        new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(hints, Jobs.class);

        for (String name : List.of("once", "twice", "instead")) {
            assertThat(RuntimeHintsPredicates.reflection()
                            .onMethodInvocation(Jobs.class.getDeclaredMethod(name, String.class)))
                    .as(name)
                    .accepts(hints);
        }
    }

    @Test
    @Tag("deep")
    @CompileWithForkedClassLoader
    void anApplicationThatWasProcessedAheadOfTimeLocks() {
        AnnotationConfigApplicationContext source = new AnnotationConfigApplicationContext();
        source.register(Application.class);
        properties().applyTo(source);
        TestGenerationContext generation =
                new TestGenerationContext(new ClassNameGenerator(ClassName.get("com.example", "Application")));
        ClassName initializer = new ApplicationContextAotGenerator().processAheadOfTime(source, generation);
        generation.writeGeneratedContent();

        assertThat(RuntimeHintsPredicates.reflection().onType(LockFactoryProperties.class))
                .accepts(generation.getRuntimeHints());
        TestCompiler.forSystem().with(generation).compile(compiled -> {
            GenericApplicationContext context = new GenericApplicationContext();
            properties().applyTo(context);
            @SuppressWarnings("unchecked")
            ApplicationContextInitializer<GenericApplicationContext> generated =
                    compiled.getInstance(ApplicationContextInitializer.class, initializer.toString());
            generated.initialize(context);
            context.refresh();
            try (context) {
                String id = TestRedis.name("a");
                assertThat(context.getBean(Jobs.class).once(id)).isTrue();
                assertThat(context.getBean("reports", DistributedLockFactory.class)
                                .getLock(id)
                                .tryLock())
                        .isTrue();
            }
        });
    }

    private static TestPropertyValues properties() {
        return TestPropertyValues.of(
                "interlock.strategy=set-nx-px",
                "interlock.command-timeout=30s",
                "interlock.endpoints=" + TestRedis.SERVER.uri(),
                "interlock.factories.reports.key-prefix=reports");
    }

    static class Jobs {
        @Locked(value = "job:#{#id}", fallback = "instead")
        public boolean once(String id) {
            return TestRedis.isHeld("job:" + id);
        }

        @Locked("job:#{#id}")
        @Locked("other:#{#id}")
        public boolean twice(String id) {
            return TestRedis.isHeld("job:" + id);
        }

        boolean instead(String id) {
            return false;
        }
    }

    @TestConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        @Bean
        Jobs jobs() {
            return new Jobs();
        }
    }
}
