// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.backends;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The machine on which figures were measured.
 *
 * @param java the version and maker of the JVM
 * @param os the operating system and processor
 * @param cores the number of processors that the JVM may use
 * @param processor the model of the processors; missing where it is not known
 */
public record Machine(
        String java, String os, int cores, @Nullable String processor) {
    private static final Path PROCESSORS = Path.of("/proc/cpuinfo");
    private static final Pattern MODEL = Pattern.compile("(?m)^model name\\s*:\\s*(.+)$");

    /**
     * Returns the machine of this JVM.
     *
     * @return this machine
     */
    public static Machine here() {
        return new Machine(
                System.getProperty("java.runtime.version") + " (" + System.getProperty("java.vendor") + ")",
                System.getProperty("os.name") + " " + System.getProperty("os.version") + ", "
                        + System.getProperty("os.arch"),
                Runtime.getRuntime().availableProcessors(),
                processorOfThisMachine());
    }

    private static @Nullable String processorOfThisMachine() {
        try {
            Matcher model = MODEL.matcher(Files.readString(PROCESSORS));
            return model.find() ? model.group(1).strip() : null;
        } catch (IOException e) {
            // Other systems than Linux tell it elsewhere.
            return null;
        }
    }

    /**
     * Describes the machine in one line.
     *
     * @return the description
     */
    public String description() {
        return "Java " + java + "; " + os + ", " + cores + (cores == 1 ? " core" : " cores")
                + (processor == null ? "" : " of " + processor);
    }
}
