// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.LockBackendException;
import dev.interlock.redlock.joint.Configuration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class FoundedAheadTest {
    private static final Configuration OLD = Configuration.founding(List.of("a:1", "b:2", "c:3"));
    private static final Configuration REPLACED = Configuration.founding(List.of("a:1", "b:2", "d:4"));
    private static final Configuration REDUCED = Configuration.founding(List.of("a:1", "b:2"));

    private final RecordedLists servers = new RecordedLists();

    private Optional<Configuration> whenReplaced() {
        return find(Optional.of("d:4")).map(FoundedAhead::list);
    }

    private Optional<FoundedAhead> find(Optional<String> entering) {
        return FoundedAhead.find(servers, "c:3", entering);
    }

    private void replaceIsAhead() {
        servers.keep("c:3", OLD);
        servers.keep("a:1", REPLACED);
        servers.keep("b:2", REPLACED);
        servers.keep("d:4", REPLACED);
    }

    @Test
    void aListIsAheadIfItsNodesHaveItWhileTheNodeThatLeavesHasTheOldOne() {
        replaceIsAhead();
        assertThat(whenReplaced()).contains(REPLACED);

        servers.lose("b:2");
        assertThat(whenReplaced()).as("a node that has lost its data").contains(REPLACED);

        servers.keep("a:1", REDUCED);
        assertThat(find(Optional.empty()).map(FoundedAhead::list)).contains(REDUCED);
    }

    @Test
    void noListIsAheadIfNoNodeHasIt() {
        servers.keep("c:3", OLD);

        assertThat(whenReplaced()).isEmpty();
    }

    @Test
    void aListIsAheadIfTheNodeThatLeavesHasItInThePlaceOfTheOneThatJoins() {
        replaceIsAhead();
        servers.keep("c:3", REPLACED);
        assertThat(whenReplaced()).contains(REPLACED);

        servers.keep("b:2", OLD);
        assertThat(whenReplaced()).as("another node has the old one").isEmpty();
    }

    @Test
    void noListIsAheadIfTheNodeThatLeavesIsANodeOfItUnderAnotherName() {
        replaceIsAhead();
        servers.keep("c:3", REPLACED);
        servers.isProcess("c:3", "run of d:4");

        assertThat(whenReplaced()).isEmpty();
    }

    @Test
    void noListIsAheadIfTheNodeThatLeavesDoesNotHaveTheOldOne() {
        replaceIsAhead();
        for (Configuration other : List.of(
                REDUCED,
                Configuration.founding(List.of("c:3")),
                Configuration.founding(List.of("a:1", "c:3", "d:4")),
                OLD.change(Optional.of(2), Optional.of("d:4")))) {
            servers.keep("c:3", other);
            assertThat(whenReplaced()).as(other.summary()).isEmpty();
        }

        servers.lose("c:3");
        assertThat(whenReplaced()).as("a server without a list").isEmpty();
        servers.fail("c:3");
        assertThat(whenReplaced()).as("a server that does not answer").isEmpty();
    }

    @Test
    void noListIsAheadIfAnyOfItsNodesHasAnotherOne() {
        for (Configuration other : List.of(
                OLD,
                Configuration.founding(List.of("b:2", "d:4", "e:5")),
                Configuration.founding(List.of("b:2", "a:1", "d:4")),
                REPLACED.change(Optional.of(0), Optional.empty()))) {
            replaceIsAhead();
            servers.keep("b:2", other);
            assertThat(whenReplaced()).as(other.summary()).isEmpty();
        }
    }

    @Test
    void theCommandIsToGoByOneOfBothLists() {
        replaceIsAhead();
        FoundedAhead ahead = find(Optional.of("d:4")).orElseThrow();

        assertThat(ahead.concerns(OLD)).isTrue();
        assertThat(ahead.concerns(REPLACED)).isTrue();
        assertThat(ahead.concerns(REDUCED)).isFalse();
        assertThat(ahead.concerns(OLD.change(Optional.of(2), Optional.empty()).end()))
                .isFalse();
    }

    @Test
    void aNodeOfTheNewListThatDoesNotAnswerIsNamedWithTheReason() {
        replaceIsAhead();
        servers.fail("b:2");
        FoundedAhead ahead = find(Optional.of("d:4")).orElseThrow();

        assertThatThrownBy(ahead::requireNoneSilent)
                .isInstanceOf(LockBackendException.class)
                .hasMessageContainingAll("[b:2]", "NOAUTH")
                .hasCauseInstanceOf(LockBackendException.class);
    }
}
