// SPDX-License-Identifier: Apache-2.0
package dev.interlock.architecture;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/** The descriptions of the build, as XML. */
final class BuildFiles {
    static final Path ROOT = Path.of("../..");

    private BuildFiles() {}

    /** The description of a module; of the parent of all for the empty name. */
    static Element pom(String module) throws IOException {
        try (InputStream in = Files.newInputStream(ROOT.resolve(module).resolve("pom.xml"))) {
            return DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(in)
                    .getDocumentElement();
        } catch (SAXException | ParserConfigurationException e) {
            throw new IOException("cannot read the pom.xml of " + module, e);
        }
    }

    /** The modules of the build. */
    static List<String> modules() throws IOException {
        return all(pom(""), "modules", "module").map(Element::getTextContent).toList();
    }

    /** The modules that are published, without the parent of all. */
    static List<String> published() throws IOException {
        List<String> published = new ArrayList<>();
        for (String module : modules()) {
            if (!text(pom(module), "properties", "maven.deploy.skip").equals(Optional.of("true"))) {
                published.add(module);
            }
        }
        return published;
    }

    /** The profile of a name in the description of the parent of all. */
    static Element profile(String id) throws IOException {
        return all(pom(""), "profiles", "profile")
                .filter(profile -> text(profile, "id").equals(Optional.of(id)))
                .findFirst()
                .orElseThrow();
    }

    /** All elements that a path of names leads to. */
    static Stream<Element> all(Element element, String... path) {
        Stream<Element> found = Stream.of(element);
        for (String name : path) {
            found = found.flatMap(parent -> children(parent).stream())
                    .filter(child -> child.getTagName().equals(name));
        }
        return found;
    }

    /** The text of the first element that a path of names leads to. */
    static Optional<String> text(Element element, String... path) {
        return all(element, path)
                .findFirst()
                .map(found -> found.getTextContent().strip());
    }

    private static List<Element> children(Element element) {
        List<Element> children = new ArrayList<>();
        for (Node node = element.getFirstChild(); node != null; node = node.getNextSibling()) {
            if (node instanceof Element child) {
                children.add(child);
            }
        }
        return children;
    }
}
