// SPDX-License-Identifier: Apache-2.0
package dev.interlock.architecture;

import static dev.interlock.architecture.BuildFiles.all;
import static dev.interlock.architecture.BuildFiles.pom;
import static dev.interlock.architecture.BuildFiles.text;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;

/** The POMs contain what Maven Central requires. {@code .ci/release-check} checks the artifacts that they produce. */
class ReleaseTest {
    private static final String BOM = "bom";
    private static final List<String> INHERITED = List.of("url", "licenses", "developers", "scm", "issueManagement");

    @Test
    void theBomManagesAllPublishedModulesAndNoOther() throws IOException {
        Set<String> published = new TreeSet<>();
        for (String module : BuildFiles.published()) {
            if (!module.equals(BOM)) {
                published.add(text(pom(module), "artifactId").orElseThrow());
            }
        }
        assertThat(all(pom(BOM), "dependencyManagement", "dependencies", "dependency", "artifactId")
                        .map(Element::getTextContent))
                .as("the artifacts in bom/pom.xml; a module that is not to be published sets maven.deploy.skip")
                .containsExactlyInAnyOrderElementsOf(published);
    }

    @Test
    void everyModuleHasANameAndADescriptionOfItsOwn() throws IOException {
        List<String> nameless = new ArrayList<>();
        Set<String> descriptions = new TreeSet<>();
        for (String module : BuildFiles.modules()) {
            Element pom = pom(module);
            if (text(pom, "name").isEmpty()
                    || !descriptions.add(text(pom, "description").orElse(""))) {
                nameless.add(module);
            }
        }
        assertThat(nameless).isEmpty();
        assertThat(descriptions).doesNotContain("");
    }

    @Test
    void theBomSaysForItselfWhatTheOthersInherit() throws IOException {
        for (String element : INHERITED) {
            assertThat(text(pom(""), element)).as(element).isPresent();
            assertThat(text(pom(BOM), element)).as(element).isEqualTo(text(pom(""), element));
        }
        assertThat(plugins(all(pom(BOM), "profiles", "profile").findFirst().orElseThrow()))
                .isEqualTo(plugins(BuildFiles.profile("central")))
                .isNotEmpty();
    }

    private static Set<String> plugins(Element profile) {
        return all(profile, "build", "plugins", "plugin")
                .map(plugin -> text(plugin, "artifactId").orElseThrow() + ":"
                        + text(plugin, "version").orElseThrow())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void allModulesHaveOneVersion() throws IOException {
        String version = text(pom(""), "version").orElseThrow();
        for (String module : BuildFiles.modules()) {
            Element pom = pom(module);
            assertThat(module.equals(BOM) ? text(pom, "version") : text(pom, "parent", "version"))
                    .as(module)
                    .contains(version);
        }
        assertThat(Files.readString(BuildFiles.ROOT.resolve("README.md")))
                .contains("<artifactId>interlock-bom</artifactId>\n      <version>" + version + "</version>");
    }
}
