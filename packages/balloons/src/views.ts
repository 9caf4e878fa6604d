/**
 * What people are shown of a node, in the same words wherever they look: the command, the console. Reads no clock and does
 * no I/O.
 */
export { exactAmounts, inWords, shortAmounts, shortCpu, shortMemory } from './views/amount-words.js';
export {
  type AmountLine,
  amountLines,
  type NodeNext,
  nextOfNode,
  type Taker,
  takersOf,
  wantedInWords,
} from './views/node-account.js';
export { byFree, inSeconds, lastInWords, type NodeRow, rowOf, stateOf, totalOf } from './views/node-row.js';
export { type PartitionAccount, partitionAccount } from './views/partition-account.js';
