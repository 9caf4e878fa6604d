import { expect, test } from 'vitest';
import { CommandError } from '../runtime/exit.js';
import { folderAmong, onlyOneCalled, tellApart, whyNoAnswer } from './find-cluster.js';

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

const holder = { name: 'dev', pid: 4711, since: 'now', socket: '/data/dev/control.sock' };
const failed = (message: string, code?: string) => Object.assign(new Error(message), code && { code });
test.each([
  [failed('no such file', 'ENOENT'), true, /is starting or stopping/, /^slipway status/],
  [failed('refused', 'ECONNREFUSED'), true, /is starting or stopping/, /^slipway status/],
  [failed('silent'), true, /^cluster "dev" \(pid 4711\) does not answer: silent$/, /^end process 4711 /],
  [failed('silent'), false, /^cluster "dev" does not answer: silent$/, /^end it where it runs/],
])('whyNoAnswer() of %o names a process only when it is known (%s)', (error, isSeenHere, message, hint) => {
  const why = whyNoAnswer(holder, error, () => isSeenHere);
  expect(why).toEqual({ message: expect.stringMatching(message), hint: expect.stringMatching(hint) });
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
