// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab.evidence;

/**
 * The outcomes of one client's write to the two stores.
 *
 * @param unfenced at the store that ignores tokens
 * @param fenced at the store that checks tokens
 */
public record StoreWrites(GuardedStore.Write unfenced, GuardedStore.Write fenced) {}
