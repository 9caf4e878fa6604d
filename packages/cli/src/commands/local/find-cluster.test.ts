import { expect, test } from 'vitest';
import { CommandError } from '../../runtime/exit.js';
import { onlyOneCalled, tellApart } from './find-cluster.js';

const try1 = { name: 'try-1', dataDir: '/data/try-1' };
const dev = { name: 'dev', dataDir: '/data/dev' };
const otherDev = { name: 'dev', dataDir: '/tmp/data' };

test('onlyOneCalled() finds a cluster by its name, and refuses to choose between two', () => {
  expect(onlyOneCalled('dev', [try1, dev])).toBe(dev);
  expect(onlyOneCalled('nope', [try1, dev])).toBeUndefined();
  expect(() => onlyOneCalled('dev', [dev, try1, otherDev])).toThrow(CommandError);
});

test('tellApart() adds the folder only where a name is not enough', () => {
  expect(tellApart([try1, dev])).toEqual(['try-1', 'dev']);
  expect(tellApart([try1, dev, otherDev])).toEqual(['try-1', 'dev in /data/dev', 'dev in /tmp/data']);
});
