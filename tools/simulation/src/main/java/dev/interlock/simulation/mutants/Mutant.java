// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.mutants;

import dev.interlock.simulation.network.Mutation;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * A deliberate error in the scripts and commands of a strategy, which the server makes when it receives them.
 *
 * @param name its name
 * @param scripts changes a script
 * @param commands changes a command and its arguments
 */
public record Mutant(String name, UnaryOperator<String> scripts, UnaryOperator<List<String>> commands)
        implements Mutation {
    /** No error: scripts and commands stay as they are. */
    public static final Mutant NONE = new Mutant("none", UnaryOperator.identity(), UnaryOperator.identity());

    /** An error in the Java code that runs already: scripts and commands stay as they are. */
    public static Mutant ofCode(String name) {
        return new Mutant(name, UnaryOperator.identity(), UnaryOperator.identity());
    }

    /**
     * Changes scripts.
     *
     * @param text the text that is replaced
     * @param other the replacement
     */
    static Mutant ofScripts(String name, String text, String other) {
        return new Mutant(name, source -> source.replace(text, other), UnaryOperator.identity());
    }

    /**
     * Changes a command.
     *
     * @param command the command
     * @param change gets the command and its arguments, and returns what is carried out
     */
    static Mutant ofCommand(String name, String command, UnaryOperator<List<String>> change) {
        return new Mutant(
                name,
                UnaryOperator.identity(),
                words -> words.get(0).equals(command) ? change.apply(List.copyOf(words)) : words);
    }

    /** Replaces a command by a script, which finds the first argument in {@code KEYS}. */
    static Mutant ofCommand(String name, String command, String script) {
        return ofCommand(name, command, words -> {
            List<String> call = new ArrayList<>(List.of("EVAL", script, "1"));
            call.addAll(words.subList(1, words.size()));
            return call;
        });
    }

    @Override
    public String script(String source) {
        return scripts.apply(source);
    }

    @Override
    public List<String> command(List<String> words) {
        return commands.apply(words);
    }
}
