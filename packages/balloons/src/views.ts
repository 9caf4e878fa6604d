/**
 * What people are shown of a node, in the same words wherever they look: the command, the console. Reads no clock and does
 * no I/O.
 */
export { exactAmounts, inWords, shortAmounts, shortCpu, shortMemory } from './views/amount-words.js';
export { byFree, inSeconds, lastInWords, type NodeRow, rowOf, stateOf, totalOf } from './views/node-row.js';
