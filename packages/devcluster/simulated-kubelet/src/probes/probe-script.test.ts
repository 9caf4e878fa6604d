import { aPod } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import { probeScript } from './probe-script.js';

const told = (text: string) => {
  const pod = aPod('p', { metadata: { annotations: { 'sim.slipway.dev/main.readiness': text } } });
  const script = probeScript(pod, 'main', 'readiness');
  return typeof script === 'string'
    ? script
    : script.map(({ fromMs, succeeds }) => `${succeeds ? 'ok' : 'fail'}@${fromMs}`).join(' ');
};
const wrong = (part: string) =>
  `"${part}" is not a result: ok or fail, each after the one before (such as fail,ok@5s,fail@1m)`;

// annotation | as read
const cases: [string, string][] = [
  ['ok', 'ok@0'],
  ['fail', 'fail@0'],
  ['fail@20s', 'ok@0 fail@20000'],
  ['fail, ok@5s, fail@1m', 'fail@0 ok@5000 fail@60000'],
  ['', wrong('')],
  ['maybe', wrong('maybe')],
  ['fail@soon', wrong('fail@soon')],
  ['fail@5s,ok@5s', wrong('ok@5s')],
  ['fail@5s,ok', wrong('ok')],
];

test.each(cases)('probeScript() of %j', (text, expected) => {
  expect(told(text)).toBe(expected);
});

test('a probe that was told nothing succeeds', () => {
  expect(probeScript(aPod('p'), 'main', 'liveness')).toEqual([{ fromMs: 0, succeeds: true }]);
});
