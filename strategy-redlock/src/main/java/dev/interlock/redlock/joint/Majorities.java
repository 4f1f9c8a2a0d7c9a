// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.joint;

import java.util.List;
import java.util.Set;
import java.util.function.IntPredicate;

/**
 * The majorities that a decision needs: one of the only list of nodes, or one each of the old and the new list during a
 * change. Instances are immutable.
 */
public final class Majorities {
    private final int[][] lists;

    /**
     * Creates the majorities of some lists.
     *
     * @param lists the indexes of the nodes in each list
     */
    public Majorities(List<Set<Integer>> lists) {
        this.lists = lists.stream()
                .map(list -> list.stream().mapToInt(Integer::intValue).sorted().toArray())
                .toArray(int[][]::new);
    }

    /**
     * Returns how many nodes are a majority.
     *
     * @param nodes how many there are
     * @return more than half of them
     */
    public static int of(int nodes) {
        return nodes / 2 + 1;
    }

    /**
     * Returns how many lists there are.
     *
     * @return one, or two while the list changes
     */
    public int lists() {
        return lists.length;
    }

    /**
     * Returns how many nodes a list has.
     *
     * @param list which of the lists
     * @return the number of its nodes
     */
    public int size(int list) {
        return lists[list].length;
    }

    /**
     * Returns the index of a node in a list.
     *
     * @param list which of the lists
     * @param position which of its nodes
     * @return the index of the node
     */
    public int node(int list, int position) {
        return lists[list][position];
    }

    /**
     * Returns whether some nodes are a majority of each list.
     *
     * @param chosen whether the node with an index is one of them
     * @return whether they are enough
     */
    public boolean areReached(IntPredicate chosen) {
        for (int[] list : lists) {
            int count = 0;
            for (int node : list) {
                count += chosen.test(node) ? 1 : 0;
            }
            if (count < of(list.length)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns whether a node is in the last of the lists, which counts alone once a change has ended.
     *
     * @param index its index
     * @return whether it does not leave
     */
    public boolean remains(int index) {
        return contains(lists[lists.length - 1], index);
    }

    /**
     * Returns whether a node is in one of the lists.
     *
     * @param index its index
     * @return whether its vote counts
     */
    public boolean concern(int index) {
        for (int[] list : lists) {
            if (contains(list, index)) {
                return true;
            }
        }
        return false;
    }

    private static boolean contains(int[] list, int index) {
        for (int node : list) {
            if (node == index) {
                return true;
            }
        }
        return false;
    }
}
