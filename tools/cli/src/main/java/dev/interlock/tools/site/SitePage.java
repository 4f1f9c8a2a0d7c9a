// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.site;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Code;
import org.commonmark.node.Heading;
import org.commonmark.node.HtmlBlock;
import org.commonmark.node.HtmlInline;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.Text;
import org.commonmark.node.Visitor;
import org.commonmark.parser.IncludeSourceSpans;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.AttributeProvider;
import org.commonmark.renderer.html.HtmlRenderer;
import org.jspecify.annotations.Nullable;

/** A page in Markdown: its title, its anchors and its links. The anchors are those that GitHub gives to headings. */
final class SitePage {
    private static final List<Extension> EXTENSIONS = List.of(TablesExtension.create());
    private static final Parser PARSER = Parser.builder()
            .extensions(EXTENSIONS)
            .includeSourceSpans(IncludeSourceSpans.BLOCKS_AND_INLINES)
            .build();
    private static final Pattern HTML_ID = Pattern.compile("\\b(?:id|name)=\"([^\"]+)\"");
    private static final Pattern HTML_LINK = Pattern.compile("\\b(?:href|src)=\"([^\"]+)\"");

    private final String path;
    private final Node document;
    private final Map<Node, String> headings = new HashMap<>();
    private final Set<String> anchors = new LinkedHashSet<>();
    private final List<SiteLink> links = new ArrayList<>();
    private @Nullable String title;

    private SitePage(String path, String text) {
        this.path = path;
        document = PARSER.parse(text);
        document.accept(new Reader());
    }

    /**
     * Reads a page.
     *
     * @param root the checkout
     * @param path the path of the page in the checkout, with slashes
     */
    static SitePage read(Path root, String path) throws IOException {
        return new SitePage(path, Files.readString(root.resolve(path)));
    }

    /** The path of the page in the checkout, with slashes. */
    String path() {
        return path;
    }

    /** The folder of the page in the checkout; empty for the root. */
    String folder() {
        return path.contains("/") ? path.substring(0, path.lastIndexOf('/')) : "";
    }

    /** The text of the first heading, or the path if there is none. */
    String title() {
        return title == null ? path : title;
    }

    /** Sends the visitor through all parts of the page. */
    void accept(Visitor visitor) {
        document.accept(visitor);
    }

    Set<String> anchors() {
        return anchors;
    }

    List<SiteLink> links() {
        return links;
    }

    /**
     * Returns the page as HTML.
     *
     * @param targets says what a link or an image that the page names is called on the site
     */
    String toHtml(UnaryOperator<String> targets) {
        AttributeProvider provider = (node, tag, attributes) -> {
            String id = headings.get(node);
            if (id != null) {
                attributes.put("id", id);
            }
            attributes.computeIfPresent(
                    node instanceof Image ? "src" : "href", (name, target) -> targets.apply(target));
        };
        return HtmlRenderer.builder()
                .extensions(EXTENSIONS)
                .attributeProviderFactory(context -> provider)
                .build()
                .render(document);
    }

    /** Collects what a page has. */
    private final class Reader extends AbstractVisitor {
        private final HeadingAnchors ids = new HeadingAnchors();

        @Override
        public void visit(Heading heading) {
            String text = text(heading);
            String id = ids.next(text);
            headings.put(heading, id);
            anchors.add(id);
            if (title == null) {
                title = text;
            }
            visitChildren(heading);
        }

        @Override
        public void visit(Link link) {
            links.add(new SiteLink(link.getDestination(), line(link)));
            visitChildren(link);
        }

        @Override
        public void visit(Image image) {
            links.add(new SiteLink(image.getDestination(), line(image)));
            visitChildren(image);
        }

        @Override
        public void visit(HtmlInline html) {
            read(html, html.getLiteral());
        }

        @Override
        public void visit(HtmlBlock html) {
            read(html, html.getLiteral());
        }

        private void read(Node node, String html) {
            Matcher id = HTML_ID.matcher(html);
            while (id.find()) {
                anchors.add(id.group(1));
            }
            Matcher link = HTML_LINK.matcher(html);
            while (link.find()) {
                links.add(new SiteLink(link.group(1), line(node)));
            }
        }

        private int line(Node node) {
            return node.getSourceSpans().isEmpty()
                    ? 1
                    : node.getSourceSpans().get(0).getLineIndex() + 1;
        }

        private String text(Node node) {
            StringBuilder text = new StringBuilder();
            node.accept(new AbstractVisitor() {
                @Override
                public void visit(Text part) {
                    text.append(part.getLiteral());
                }

                @Override
                public void visit(Code part) {
                    text.append(part.getLiteral());
                }
            });
            return text.toString();
        }
    }
}
