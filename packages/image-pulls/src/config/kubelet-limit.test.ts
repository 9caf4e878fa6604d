import { expect, test } from 'vitest';
import { type KubeletLimit, kubeletLimit } from './kubelet-limit.js';

const no = undefined;
type Row = [
  number,
  boolean | undefined,
  unknown,
  unknown,
  boolean,
  KubeletLimit['kubeletRuns'],
  number | 'error' | 'warn',
];

// row | serializeImagePulls | maxParallelImagePulls | maxParallelImagePulling | serialize after defaults | kubelet runs | ours
const rows: Row[] = [
  [1, no, no, no, true, 1, 1],
  [2, no, 1, no, true, 1, 1],
  [3, no, 5, no, false, 5, 5],
  [4, no, 0, no, true, 'nothing', 'error'],
  [5, true, no, no, true, 1, 1],
  [6, true, 1, no, true, 1, 1],
  [7, true, 5, no, true, 'nothing', 'error'],
  [8, true, -1, no, true, 'nothing', 'error'],
  [9, false, no, no, false, 'unlimited', 0],
  [10, false, 1, no, false, 1, 1],
  [11, false, 5, no, false, 5, 5],
  [12, false, 0, no, false, 'nothing', 'error'],
  [13, false, no, 0, false, 'unlimited', 0],
  [14, false, no, 4, false, 'unlimited', 4],
  [15, no, no, 0, false, 1, 'warn'],
  [16, no, no, 1, true, 1, 1],
  [17, no, no, 4, false, 1, 'warn'],
  [18, true, no, 1, true, 1, 1],
  [19, true, no, 4, true, 1, 'error'],
  [19, true, no, 0, true, 1, 'error'],
  [20, false, no, -1, false, 'unlimited', 'error'],
  [20, false, no, 2.5, false, 'unlimited', 'error'],
  [20, false, no, 10_001, false, 'unlimited', 'error'],
  [20, false, no, 'four', false, 'unlimited', 'error'],
  [21, false, 4, 4, false, 4, 4],
  [22, false, 4, 5, false, 4, 'error'],
];

test.each(rows)('kubelet config: row %d', (_, s, m, p, serialize, kubeletRuns, ours) => {
  const fields = { serializeImagePulls: s, maxParallelImagePulls: m, maxParallelImagePulling: p };
  const read = kubeletLimit(fields);
  expect([read.serialize, read.kubeletRuns]).toEqual([serialize, kubeletRuns]);
  if (ours === 'error') expect([read.limit, typeof read.problem]).toEqual([undefined, 'string']);
  else if (ours === 'warn') expect([read.limit, typeof read.warning]).toEqual([p, 'string']);
  else expect([read.limit, read.problem, read.warning]).toEqual([ours, undefined, undefined]);
});
