// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The configuration of a model: the values of its constants, and what TLC checks.
 *
 * @param text a configuration file of TLC
 */
record TlcModel(String text) {
    static TlcModel read(Path file) throws IOException {
        return new TlcModel(Files.readString(file));
    }

    /** Returns this model with another value for one of its constants, which must be there. */
    TlcModel with(String constant, String value) {
        Matcher line = Pattern.compile("(?m)^( *" + Pattern.quote(constant) + " *=).*$")
                .matcher(text);
        if (!line.find()) {
            throw new IllegalArgumentException("the model has no constant " + constant);
        }
        return new TlcModel(line.replaceFirst("$1 " + Matcher.quoteReplacement(value)));
    }

    /** Returns this model with one temporal property alone, which must be among those that it has. */
    TlcModel withProperty(String property) {
        Matcher line = Pattern.compile("(?m)^PROPERT(?:Y|IES)\\b.*\\b" + Pattern.quote(property) + "\\b.*$")
                .matcher(text);
        if (!line.find()) {
            throw new IllegalArgumentException("the model has no property " + property);
        }
        return new TlcModel(line.replaceFirst("PROPERTY " + property));
    }
}
