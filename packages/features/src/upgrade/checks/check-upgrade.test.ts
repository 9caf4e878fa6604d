import { expect, test } from 'vitest';
import { aDeclaredGate, aGroup, anUpgrade } from '../../testing/an-upgrade.js';
import { groupProcesses } from '../upgrade-view.js';
import { checkUpgrade } from './check-upgrade.js';

const verdictOf = (...values: string[]) =>
  checkUpgrade(
    anUpgrade({
      groups: values.map((each) => aGroup('kube-apiserver', `Fresh=true! OneWay=false! Rising=false! ${each}`)),
    }),
  ).verdict;

test.each([
  ['NothingFound', ['Steady=true']],
  ['Warnings', ['Locking=true!']],
  ['Unknown', ['Locking=true! Seen=true!']],
  ['Blocked', ['Locking=true! Seen=true!', 'Locking=false!']],
])('checkUpgrade() is %s when processes run %s', (expected, values) => {
  expect(verdictOf(...values)).toBe(expected);
});

test('checkUpgrade() names what it did not look at, gate by gate, and never says safe', () => {
  const definitions = new Map([aDeclaredGate('Rising')]);
  const groups = [aGroup('kube-apiserver', 'Rising=true! Steady=true')];
  const verdict = checkUpgrade(anUpgrade({ to: '1.37', definitions, groups }));
  expect(verdict.path).toEqual(['1.35', '1.36', '1.37']);
  expect(verdict.coverage).toMatchObject({ processes: 4, gates: 2 });
  expect(verdict.coverage.notAnalysed).toContainEqual({
    what: 'objects that use these gates',
    why: 'no references declared',
    gates: ['Steady'],
  });
  expect(verdict.coverage.notAnalysed).toContainEqual({
    what: 'changes to v1.37 after 2026-07-24',
    why: 'it was not released then',
  });
  expect(verdict.coverage.notAnalysed).toContainEqual({ what: 'kube-proxy', why: 'no process of it reports' });
  expect(JSON.stringify(verdict)).not.toMatch(/safe/i);
});

test('groupProcesses() brings together what runs the same', () => {
  const kubelet = (name: string, vector: string, version = 'v1.34.1') => ({
    name,
    component: 'kubelet',
    version,
    vector,
  });
  const groups = groupProcesses([
    kubelet('a', 'v1'),
    kubelet('b', 'v1'),
    kubelet('c', 'v2'),
    kubelet('d', 'v1', 'v1.33.0'),
  ]);
  expect(groups.map(({ processes }) => processes.join(' '))).toEqual(['a b', 'c', 'd']);
});
