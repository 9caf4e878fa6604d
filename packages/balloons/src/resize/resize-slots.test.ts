import { expect, test } from 'vitest';
import { readNode } from '../nodes/node-view.js';
import { aPolicy } from '../testing/an-observation.js';
import { ResizeSlots } from './resize-slots.js';

function node(name: string, zone?: string) {
  const labels = zone === undefined ? {} : { 'topology.kubernetes.io/zone': zone };
  return readNode({ apiVersion: 'v1', kind: 'Node', metadata: { name, labels } });
}

test('no more resizes run than a policy allows in all', () => {
  const slots = new ResizeSlots(() => {});
  const two = aPolicy({ concurrency: { cluster: 2 } });
  expect(['a', 'b', 'c', 'a'].map((name) => slots.take(node(name), two))).toEqual([true, true, false, true]);
  slots.release('a');
  expect(slots.take(node('c'), two)).toBe(true);
});

test('no more in one zone, and nodes without a zone are in none', () => {
  const slots = new ResizeSlots(() => {});
  const one = aPolicy({ concurrency: { perFailureDomain: 1 } });
  expect(slots.take(node('a', 'east'), one)).toBe(true);
  expect(slots.take(node('b', 'east'), one)).toBe(false);
  expect(slots.take(node('c', 'west'), one)).toBe(true);
  expect(slots.take(node('d'), one)).toBe(true);
  expect(slots.take(node('e'), one)).toBe(true);
});

test('who waits is told when its turn has come, one at a time and in order', () => {
  const told: string[] = [];
  const slots = new ResizeSlots((name) => void told.push(name));
  const one = aPolicy({ concurrency: { cluster: 1 } });
  for (const name of ['a', 'b', 'c', 'b']) slots.take(node(name), one);
  slots.release('a');
  expect(told).toEqual(['b']);
  slots.take(node('b'), one);
  slots.release('b');
  expect(told).toEqual(['b', 'c']);
});

test('a turn goes to a zone that has room', () => {
  const told: string[] = [];
  const slots = new ResizeSlots((name) => void told.push(name));
  const tight = aPolicy({ concurrency: { cluster: 2, perFailureDomain: 1 } });
  slots.take(node('east-1', 'east'), tight);
  slots.take(node('west-1', 'west'), tight);
  slots.take(node('east-2', 'east'), tight);
  slots.take(node('west-2', 'west'), tight);
  slots.release('west-1');
  expect(told).toEqual(['west-2']);
});
