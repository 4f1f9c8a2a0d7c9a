// SPDX-License-Identifier: Apache-2.0
package dev.interlock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The code that comments of main sources show compiles, with the imports of its file. */
class JavadocCodeTest {
    private static final Pattern BLOCK = Pattern.compile("<pre>(.*?)</pre>", Pattern.DOTALL);
    private static final Pattern CODE = Pattern.compile("\\{@code\\R(.*)\\}", Pattern.DOTALL);
    private static final Pattern PACKAGE = Pattern.compile("^package ([\\w.]+);", Pattern.MULTILINE);
    private static final Pattern IMPORT = Pattern.compile("^import [\\w.]+;", Pattern.MULTILINE);

    /** What begins a member of a class; all else is statements. */
    private static final Pattern MEMBER = Pattern.compile("(?:@|class |public )[^;]*", Pattern.DOTALL);

    /** What the blocks of a file use and do not declare. */
    private static final Map<String, String> USED = Map.ofEntries(
            Map.entry(
                    "DistributedLock.java",
                    "DistributedLock lock; String data; Store store; interface Store { void write(long t, String d); }"),
            Map.entry("DistributedLockConformance.java", """
                            static class MyHarness implements LockHarness {
                                public dev.interlock.spi.LockStrategyProvider provider() { return null; }
                                public LockConfig config() { return null; }
                            }"""),
            Map.entry("Load.java", "DistributedLockFactory factory; String name() { return null; }"),
            Map.entry("LockMetrics.java", "io.micrometer.core.instrument.MeterRegistry registry;"),
            Map.entry("ObservedLocks.java", "ObservationRegistry observations; dev.interlock.LockConfig config;"),
            Map.entry("RedissonLocks.java", "RedissonClient client;"),
            Map.entry("RedlockLocks.java", "RedisClient client; RedisURI a; RedisURI b; RedisURI c;"),
            Map.entry("RedlockOperations.java", "LockConfig config;"),
            Map.entry("ServerMetrics.java", "DistributedLockFactory factory; MeterRegistry registry;"),
            Map.entry("SetNxPxLocks.java", "redis.clients.jedis.RedisClient client;"),
            Map.entry("SetnxGetsetLocks.java", "RedisClient client;"));

    /** Types that a block names and its file does not import. */
    private static final List<String> ELSEWHERE = List.of(
            "dev.interlock.*",
            "java.util.*",
            "java.util.concurrent.locks.*",
            "org.springframework.context.annotation.Bean",
            "org.springframework.transaction.annotation.Transactional");

    /** Blocks in another language than Java, by file. */
    private static final Set<String> NO_JAVA = Set.of("KnossosEdn.java");

    /** The blocks by where they begin, as they stand in the comments. */
    private static final Map<String, Block> BLOCKS = new TreeMap<>();

    @TempDir
    Path classes;

    /** A block, and the file that it stands in. */
    private record Block(String file, String source, String text) {
        String place(int line) {
            return file + ":" + line;
        }

        /** The block in a class, with the imports of its file. */
        String framed() {
            String name = file.replaceFirst(".*/", "");
            String code = text.replace("…", "");
            String body = MEMBER.matcher(code).lookingAt() ? code : "void run() throws Exception {" + code + "}";
            Stream<String> imports = Stream.concat(
                    Stream.concat(
                                    PACKAGE.matcher(source).results().map(found -> found.group(1) + ".*"),
                                    ELSEWHERE.stream())
                            .distinct()
                            .map(type -> "import " + type + ";"),
                    IMPORT.matcher(source).results().map(MatchResult::group));
            return imports.distinct().collect(Collectors.joining())
                    + "class Page { "
                    + USED.getOrDefault(name, "")
                    + body
                    + "}";
        }
    }

    @BeforeAll
    static void read() throws IOException {
        for (String module : BuildFiles.modules()) {
            Path main = BuildFiles.ROOT.resolve(module).resolve("src/main/java");
            if (Files.isDirectory(main)) {
                try (Stream<Path> files = Files.walk(main)) {
                    for (Path file : files.filter(file -> file.toString().endsWith(".java"))
                            .toList()) {
                        read(BuildFiles.ROOT.relativize(file).toString(), Files.readString(file));
                    }
                }
            }
        }
    }

    private static void read(String file, String source) {
        BLOCK.matcher(source).results().forEach(found -> {
            int line = (int) source.substring(0, found.start()).lines().count();
            Block block = new Block(
                    file, source, found.group(1).replaceAll("(?m)^ *\\* ?", "").strip());
            BLOCKS.put(block.place(line), block);
        });
    }

    @Test
    void everyBlockOfJavaCompiles() {
        CompiledBlocks blocks = new CompiledBlocks();
        List<String> odd = new ArrayList<>();
        Set<String> otherLanguages = new TreeSet<>();
        BLOCKS.forEach((place, block) -> {
            var code = CODE.matcher(block.text());
            if (NO_JAVA.contains(block.file().replaceFirst(".*/", ""))) {
                otherLanguages.add(place);
            } else if (code.matches()) {
                blocks.add(place, new Block(block.file(), block.source(), code.group(1)).framed());
            } else {
                odd.add(place);
            }
        });
        assertThat(odd).as("<pre> without {@code, which nothing compiles").isEmpty();
        assertThat(blocks.errors(classes))
                .as("code in comments that does not compile; what it uses may be declared in this test")
                .isEmpty();
        assertThat(blocks.size()).isGreaterThan(15);
        assertThat(otherLanguages).as("blocks that are no Java").hasSize(NO_JAVA.size());
    }

    @Test
    void aBlockThatDoesNotCompileIsTold() {
        CompiledBlocks blocks = new CompiledBlocks();
        String source = "package dev.interlock;\nimport java.time.Duration;\n";
        blocks.add(
                "right", new Block("DistributedLock.java", source, "lock.withLease(Duration.ZERO).lock();").framed());
        blocks.add(
                "wrong", new Block("DistributedLock.java", source, "lock.withLeash(Duration.ZERO).lock();").framed());
        assertThat(blocks.errors(classes))
                .singleElement()
                .asString()
                .startsWith("wrong: ")
                .contains("withLeash");
    }
}
