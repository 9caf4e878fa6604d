import { ManualClock } from '@slipway/kube/testing';
import { expect, test } from 'vitest';
import { followPackageManager, linksToPackageManager, type ProcessFacts } from './package-manager.js';

type Ancestors = readonly (readonly [pid: number, words: string])[];

/** Processes from the one that asks upwards: each is the child of the next. */
function processes(ancestors: Ancestors): Map<number, ProcessFacts> {
  return new Map(
    ancestors.map(([pid, words], at) => [pid, { parent: ancestors[at + 1]?.[0] ?? 1, words: words.split('|') }]),
  );
}

const self = [9, 'node|/clone/packages/cli/bin/slipway.js|up'] as const;
const shell = [1, '-bash'] as const;
const started: [string, Ancestors, string][] = [
  ['npm start', [self, [8, 'npm start'], shell], '9<8'],
  ['npm start with a shell between', [self, [8, 'sh|-c|./slipway up'], [7, 'npm start'], shell], '9<8 8<7'],
  ['npm run script', [self, [8, 'sh|-c|a'], [7, 'bash|-ec|b'], [6, 'npm run up'], shell], '9<8 8<7 7<6'],
  ['npm exec', [self, [8, 'npm exec slipway up'], shell], '9<8'],
  ['npm that did not set its title', [self, [8, 'node|/usr/lib/npm/bin/npm-cli.js|start'], shell], '9<8'],
  ['pnpm', [self, [8, '/bin/sh|-c|x'], [7, '/usr/bin/node|/usr/bin/pnpm.cjs|start'], shell], '9<8 8<7'],
  ['a shell', [self, shell], ''],
  ['a shell that runs a command', [self, [8, 'sh|-c|./slipway up; date'], shell], ''],
  ['an interactive shell', [self, [8, 'bash'], [7, 'npm exec'], shell], ''],
  ['a program that npm runs', [self, [8, 'node (vitest 1)'], [7, 'npm test'], shell], ''],
  ['a program in a folder of that name', [self, [8, 'node|/home/npm/e2e.js'], shell], ''],
  ['a service manager', [self, [1, '/sbin/init']], ''],
  ['a system that tells nothing', [], ''],
];

test.each(started)('linksToPackageManager() when started by %s', (_by, ancestors, expected) => {
  const all = processes(ancestors);
  const links = linksToPackageManager(9, (pid) => all.get(pid));
  expect(links.map((link) => link.join('<')).join(' ')).toBe(expected);
});

test.each([8, 7])('followPackageManager() runs onGone once when ancestor %i has ended', async (ended) => {
  const all = processes([
    [process.pid, 'node|up'],
    [8, 'sh|-c|./slipway up'],
    [7, 'npm start'],
  ]);
  const clock = new ManualClock();
  let gone = 0;
  const onGone = () => {
    gone += 1;
  };
  followPackageManager(onGone, clock, (pid) => all.get(pid));
  await clock.advance(60_000);
  expect(gone).toBe(0);
  const child = ended === 8 ? process.pid : 8;
  all.set(child, { parent: 1, words: [] });
  await clock.advance(60_000);
  expect(gone).toBe(1);
});
