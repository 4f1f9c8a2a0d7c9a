// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.mutants.code;

import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The mutants of Java code, and how a simulation runs with one of them. */
public final class CodeMutants {
    /** Those of the engine and of {@code redis} are run with set-nx-px, which uses most of both. */
    private static final Map<String, List<CodeMutant>> BY_STRATEGY = Map.of(
            "set-nx-px",
            Stream.of(EngineMutants.ALL, SetNxPxCodeMutants.ALL)
                    .flatMap(List::stream)
                    .toList(),
            "setnx-getset",
            SetnxGetsetCodeMutants.ALL,
            "redlock",
            RedlockCodeMutants.ALL);

    private CodeMutants() {}

    /** Returns those that a strategy is simulated with. */
    public static List<CodeMutant> of(String strategy) {
        return BY_STRATEGY.getOrDefault(strategy, List.of());
    }

    /** Returns the one whose name is given, if a strategy has it. */
    public static Optional<CodeMutant> find(String strategy, String name) {
        return of(strategy).stream()
                .filter(mutant -> mutant.name().equals(name))
                .findFirst();
    }

    /** Returns the name of the mutant that this program was loaded with, if there is one. */
    public static Optional<String> loaded() {
        ClassLoader loader = CodeMutants.class.getClassLoader();
        // By its name, since the class of that loader is not the one that this class sees.
        return loader.getClass().getName().equals(MutantLoader.class.getName())
                ? Optional.ofNullable(loader.getName())
                : Optional.empty();
    }

    /**
     * Runs a program that is loaded with a mutant.
     *
     * @param main the class of the program, which has a static method {@code run(PrintWriter, PrintWriter, String[])}
     * @param out where it writes what it finds
     * @param err where it writes errors
     * @param args its arguments
     * @return its exit code
     */
    public static int run(CodeMutant mutant, Class<?> main, PrintWriter out, PrintWriter err, List<String> args) {
        try {
            return (Integer) new MutantLoader(mutant)
                    .loadClass(main.getName())
                    .getMethod("run", PrintWriter.class, PrintWriter.class, String[].class)
                    .invoke(null, out, err, args.toArray(String[]::new));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot run mutant " + mutant.name(), e);
        }
    }
}
