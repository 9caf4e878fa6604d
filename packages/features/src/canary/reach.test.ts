import { canaryBucket } from '@slipway/feature-gates';
import { expect, test } from 'vitest';
import type { GateValue } from '../api/feature-vector.js';
import type { RollCall } from '../uses/roll-call.js';
import { reachOf } from './reach.js';

const nodes = Array.from({ length: 20 }, (_, index) => `n${index}`);
const isIn = (node: string) => canaryBucket('Widgets', { instance: node, node }) < 5_000;
const inside = nodes.filter(isIn);

function aRoll(
  overrides: Partial<RollCall> & { readonly on?: readonly string[]; readonly mixed?: readonly string[] },
): RollCall {
  const { on = [], mixed = [], ...rest } = overrides;
  const answer = (value: GateValue, names: readonly string[]) => ({
    gates: new Map([['Widgets', value]]),
    processes: names.map((node) => ({ name: `agent.${node}`, instance: node, node })),
  });
  const off = nodes.filter((node) => !on.includes(node) && !mixed.includes(node));
  const answers = [
    answer({ name: 'Widgets', enabled: true }, on),
    answer({ name: 'Widgets', enabled: true, mixed: true }, mixed),
    answer({ name: 'Widgets', enabled: false }, off),
  ];
  return { component: 'agent', required: true, answers, silent: [], ...rest } as unknown as RollCall;
}

const half = { gate: 'Widgets', value: true, rules: [{ percent: 50, value: true }], labelled: () => new Set<string>() };

test('reachOf() counts the processes that the rules cover, and only those', () => {
  expect(inside.length).toBeGreaterThan(3);
  expect(reachOf([aRoll({ on: inside })], half)).toEqual({
    covered: inside.length,
    running: inside.length,
    missing: [],
  });
  const [first = '', ...others] = inside;
  expect(reachOf([aRoll({ on: others })], half)).toMatchObject({ running: others.length, missing: [`agent.${first}`] });
  expect(reachOf([aRoll({ on: others, mixed: [first] })], half).missing).toEqual([`agent.${first}`]);
});

test('reachOf() passes over optional components', () => {
  expect(reachOf([aRoll({ required: false })], half)).toEqual({ covered: 0, running: 0, missing: [] });
});

test('reachOf() is held up by a silent process, by whichever name it might be covered', () => {
  const [first = ''] = inside;
  const outside = nodes.filter((node) => !isIn(node))[0] ?? '';
  const silent = (process: string, node?: string) =>
    reachOf(
      [aRoll({ answers: [], silent: [{ process, cause: 'NoReport', ...(node !== undefined && { node }) }] })],
      half,
    ).missing;
  expect(silent(first)).toEqual([first]);
  expect(silent(`agent.${first}`)).toEqual([`agent.${first}`]);
  expect(silent('agent.pod-of-it', first)).toEqual(['agent.pod-of-it']);
  expect(silent(outside, outside)).toEqual([]);
});
