// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.site;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Code;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.HtmlBlock;
import org.commonmark.node.IndentedCodeBlock;
import org.commonmark.node.Node;

/**
 * Code that a page shows: a block, fenced or indented, or a span within a sentence.
 *
 * @param page the path of the page in the checkout, with slashes
 * @param line the line of the page on which the block or span begins, from 1
 * @param language the first word behind the fence; {@link #SPAN} for a span, and empty for a block without a language
 * @param comment the text of the HTML comment right above the block; empty if there is none
 * @param text the code
 */
public record CodeBlock(String page, int line, String language, String comment, String text) {
    /** The language of a span. */
    public static final String SPAN = "span";

    /**
     * Returns all code that the pages of a checkout show, page by page from top to bottom.
     *
     * @param root the checkout
     * @throws IOException if a page cannot be read
     */
    public static List<CodeBlock> all(Path root) throws IOException {
        List<CodeBlock> blocks = new ArrayList<>();
        for (SitePage page : SitePages.read(root).all()) {
            page.accept(new AbstractVisitor() {
                @Override
                public void visit(FencedCodeBlock block) {
                    String language = block.getInfo().strip().split("\\s", 2)[0];
                    blocks.add(new CodeBlock(page.path(), line(block), language, comment(block), block.getLiteral()));
                }

                @Override
                public void visit(IndentedCodeBlock block) {
                    blocks.add(new CodeBlock(page.path(), line(block), "", "", block.getLiteral()));
                }

                @Override
                public void visit(Code span) {
                    blocks.add(new CodeBlock(page.path(), line(span), SPAN, "", span.getLiteral()));
                }
            });
        }
        return blocks;
    }

    /** Where the code stands, for a message. */
    public String place() {
        return page + ":" + line;
    }

    private static int line(Node node) {
        return node.getSourceSpans().isEmpty()
                ? 1
                : node.getSourceSpans().get(0).getLineIndex() + 1;
    }

    private static String comment(FencedCodeBlock block) {
        boolean commented = block.getPrevious() instanceof HtmlBlock html
                && html.getLiteral().strip().startsWith("<!--")
                && html.getLiteral().strip().endsWith("-->");
        if (!commented) {
            return "";
        }
        String html = ((HtmlBlock) block.getPrevious()).getLiteral().strip();
        return html.substring("<!--".length(), html.length() - "-->".length()).strip();
    }
}
