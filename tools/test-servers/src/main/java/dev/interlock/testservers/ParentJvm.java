// SPDX-License-Identifier: Apache-2.0
package dev.interlock.testservers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The process that started this one by {@link ChildJvm}. This process talks to it by the standard streams, and ends
 * with it. Safe for use by several threads.
 */
public final class ParentJvm {
    private static final int PARENT_ENDED = 1;

    private final BufferedReader in;
    private final PrintStream out;

    private ParentJvm(InputStream in, PrintStream out) {
        this.in = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
        this.out = out;
    }

    /**
     * Takes over the standard streams of this process.
     *
     * @return the parent
     */
    public static ParentJvm ofThisProcess() {
        return new ParentJvm(System.in, new PrintStream(System.out, true, StandardCharsets.UTF_8));
    }

    /**
     * Waits for the next line; not to be used after {@link #follow}.
     *
     * @return the line
     * @throws IOException if the parent has ended
     */
    public String nextLine() throws IOException {
        String line = in.readLine();
        if (line == null) {
            throw new IOException("the parent process has ended");
        }
        return line;
    }

    /**
     * Reads commands on a thread of its own from now on, and ends this JVM with the parent, whatever its threads wait
     * for.
     *
     * @param lines gets each line
     */
    public void follow(Consumer<String> lines) {
        Thread thread = new Thread(
                () -> {
                    try {
                        for (@Nullable String line = in.readLine(); line != null; line = in.readLine()) {
                            lines.accept(line);
                        }
                    } catch (IOException e) {
                        // A broken stream counts as its end.
                    } finally {
                        Runtime.getRuntime().halt(PARENT_ENDED);
                    }
                },
                "follow-parent");
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * Writes a line to the parent.
     *
     * @param line the line
     */
    public void say(String line) {
        synchronized (out) {
            out.println(line);
        }
    }
}
