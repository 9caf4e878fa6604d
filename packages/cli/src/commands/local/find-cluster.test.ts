import { expect, test } from 'vitest';
import { CommandError } from '../../runtime/exit.js';
import { folderAmong, onlyOneCalled, tellApart } from './find-cluster.js';

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

test('folderAmong() takes the cluster kubectl talks to before the one with the default name', () => {
  const all = [
    { ...dev, urls: ['https://127.0.0.1:6443'] },
    { ...try1, urls: ['https://127.0.0.1:7443', 'https://127.0.0.1:7444'] },
  ];
  expect(folderAmong({}, all, 'https://127.0.0.1:7444')).toBe('/data/try-1');
  expect(folderAmong({}, all, 'https://elsewhere:6443')).toBe('/data/dev');
  expect(folderAmong({ name: 'dev' }, all, 'https://127.0.0.1:7444')).toBe('/data/dev');
  expect(folderAmong({ dataDir: '/other' }, all, 'https://127.0.0.1:7444')).toBe('/other');
  expect(folderAmong({ name: 'stopped' }, all, undefined)).toMatch(/[\\/]stopped$/);
});
