// SPDX-License-Identifier: Apache-2.0
package dev.interlock.architecture;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Blocks of Java that are compiled at once, each in a package of its own, so that they may declare the same names. */
final class CompiledBlocks {
    private final Map<String, String> places = new LinkedHashMap<>();
    private final List<JavaFileObject> sources = new ArrayList<>();

    /**
     * Adds a block.
     *
     * @param place where the block stands, for a message
     * @param source the block within a whole file, without its package
     */
    void add(String place, String source) {
        String name = "block" + places.size();
        places.put(name, place);
        sources.add(new Source(name, source));
    }

    int size() {
        return places.size();
    }

    /** Compiles all blocks into a folder, and returns the errors with the places of their blocks. */
    List<String> errors(Path classes) {
        DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        ToolProvider.getSystemJavaCompiler()
                .getTask(
                        null,
                        null,
                        diagnostics,
                        List.of("-proc:none", "-d", classes.toString(), "-cp", System.getProperty("java.class.path")),
                        null,
                        sources)
                .call();
        return diagnostics.getDiagnostics().stream()
                .filter(diagnostic -> diagnostic.getKind() == Diagnostic.Kind.ERROR)
                .map(error -> place(error.getSource()) + ": " + error.getMessage(Locale.ROOT))
                .toList();
    }

    private String place(JavaFileObject source) {
        return source instanceof Source block ? places.get(block.name) : "no block";
    }

    private static final class Source extends SimpleJavaFileObject {
        private static final Pattern PUBLIC = Pattern.compile("^public (?:final )?class (\\w+)", Pattern.MULTILINE);

        private final String name;
        private final String text;

        Source(String name, String text) {
            super(URI.create("string:///" + name + "/" + file(text) + ".java"), Kind.SOURCE);
            this.name = name;
            this.text = "package " + name + ";" + text;
        }

        private static String file(String text) {
            Matcher matcher = PUBLIC.matcher(text);
            return matcher.find() ? matcher.group(1) : "Page";
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
