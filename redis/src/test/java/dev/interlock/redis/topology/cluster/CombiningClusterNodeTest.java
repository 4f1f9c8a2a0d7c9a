// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.topology.cluster;

import dev.interlock.redis.connect.ClientLibrary;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The tests of a cluster, over connections that all threads share. */
@Tag("deep")
@ParameterizedClass
@EnumSource(value = ClientLibrary.class, names = "INTERLOCK")
class CombiningClusterNodeTest extends ClusterNodeTest {}
