// SPDX-License-Identifier: Apache-2.0
/**
 * How a fault is played: by its {@linkplain dev.interlock.tools.lab.play.LabScripts script} on a
 * {@link dev.interlock.tools.lab.play.LabStage}, with {@link dev.interlock.tools.lab.play.LabClient}s in JVMs of their
 * own and {@link dev.interlock.tools.lab.play.LabServer}s.
 */
@NullMarked
package dev.interlock.tools.lab.play;

import org.jspecify.annotations.NullMarked;
