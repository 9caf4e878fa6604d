/**
 * What people are shown of image pulls, in the same words wherever they look: the command, the console. Reads no clock and
 * does no I/O.
 */
export { type ClusterEvent, isPullEvent, type NodePull, nodeOfEvent, nodePullsOf } from './views/node-pulls.js';
export { bytesText, headline, type PullRow, pullRows, secondsText, sizeText, stateText } from './views/pull-rows.js';
export { recordsInWords, verdictInWords } from './views/what-if-words.js';
