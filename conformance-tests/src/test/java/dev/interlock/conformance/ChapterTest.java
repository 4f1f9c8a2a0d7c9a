// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.conformance.certificate.Chapter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChapterTest {
    @Test
    void theChaptersAreThoseOfTheContract() throws IOException {
        List<String> headings = Files.readString(Path.of("../docs/contract.md"))
                .lines()
                .filter(line -> line.startsWith("## "))
                .map(line -> line.substring("## ".length()))
                .toList();
        assertThat(Arrays.stream(Chapter.values())
                        .map(chapter -> chapter.number() + ". " + chapter.title())
                        .toList())
                .isEqualTo(headings);
    }
}
