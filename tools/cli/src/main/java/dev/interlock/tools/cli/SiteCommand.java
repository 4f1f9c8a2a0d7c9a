// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.cli;

import dev.interlock.tools.site.Site;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Writes the documentation as a static site. */
@Command(name = "site", description = "Writes the documentation as a static site. Fails if a link is broken.")
final class SiteCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(
            names = "--source",
            paramLabel = "DIRECTORY",
            defaultValue = "${sys:interlock.home:-.}",
            description = "the checkout whose pages are written; the one of this launcher if left out")
    private Path source = Path.of(".");

    @Option(
            names = "--out",
            paramLabel = "DIRECTORY",
            description = "where to write the site; target/site in the checkout if left out")
    private @Nullable Path out;

    @Override
    public Integer call() throws IOException {
        Path target = out == null ? source.resolve("target/site") : out;
        int pages = Site.write(source, target);
        spec.commandLine()
                .getOut()
                .println((pages == 1 ? "1 page is" : pages + " pages are") + " in " + target + "; begin with "
                        + target.resolve("index.html"));
        return ExitCodes.OK;
    }
}
