import type { Probe } from '@slipway/kube-objects/kinds/api/pods';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { failuresOf, probeResults } from './probe-results.js';
import type { ProbeTurn } from './probe-script.js';

/** `ok@0 fail@20`, in seconds. */
const script = (text: string): ProbeTurn[] =>
  text.split(' ').map((turn) => {
    const [outcome, at] = turn.split('@');
    return { succeeds: outcome === 'ok', fromMs: Number(at) * 1000 };
  });
const every5: Probe = { initialDelaySeconds: 10, periodSeconds: 5, successThreshold: 2, failureThreshold: 3 };

// script | probing may begin at s | results: at 10, 15, 20, ... two in a row make it good, three bad
const cases: [string, number, string][] = [
  ['ok@0', 0, 'ok@15'],
  ['ok@0', 12, 'ok@17'],
  ['fail@0', 0, 'fail@20'],
  ['fail@0 ok@12', 0, 'ok@20'],
  ['ok@0 fail@22', 0, 'ok@15 fail@35'],
  ['ok@0 fail@22 ok@33', 0, 'ok@15'],
  ['ok@0 fail@11 ok@13', 0, 'ok@15'],
  ['ok@0 fail@22 ok@40', 0, 'ok@15 fail@35 ok@45'],
];

test.each(cases)('probeResults() of %s from %d s on', (told, fromSeconds, expected) => {
  const found = probeResults(script(told), every5, fromSeconds * 1000);
  expect(found.map(({ atMs, succeeds }) => `${succeeds ? 'ok' : 'fail'}@${atMs / 1000}`).join(' ')).toBe(expected);
});

/** What a prober finds that really asks, one probe after the other. */
function asked(turns: readonly ProbeTurn[], timing: Probe, untilMs: number) {
  const { initialDelaySeconds = 0, periodSeconds = 10, successThreshold = 1, failureThreshold = 3 } = timing;
  const found: { atMs: number; succeeds: boolean }[] = [];
  const failures: number[] = [];
  let [last, run] = [undefined as boolean | undefined, 0];
  for (let atMs = initialDelaySeconds * 1000; atMs <= untilMs; atMs += periodSeconds * 1000) {
    const succeeds = turns.findLast(({ fromMs }) => fromMs <= atMs)?.succeeds ?? true;
    if (!succeeds) failures.push(atMs);
    run = succeeds === last ? run + 1 : 1;
    last = succeeds;
    if (run === (succeeds ? successThreshold : failureThreshold) && found.at(-1)?.succeeds !== succeeds)
      found.push({ atMs, succeeds });
  }
  return { found, failures };
}

test('probeResults() and failuresOf() are those of a prober that asks one by one', () => {
  const seconds = (max: number) => fc.integer({ min: 1, max });
  const timing = fc.record({
    initialDelaySeconds: fc.nat(30),
    periodSeconds: seconds(12),
    successThreshold: seconds(4),
    failureThreshold: seconds(4),
  });
  const turns = fc
    .tuple(fc.boolean(), fc.uniqueArray(fc.integer({ min: 1, max: 200 }), { maxLength: 6 }))
    .map(([first, moments]) =>
      [0, ...moments.sort((a, b) => a - b)].map((at, index) => ({
        fromMs: at * 1000,
        succeeds: index % 2 === 0 ? first : !first,
      })),
    );
  fc.assert(
    fc.property(timing, turns, (probe, told) => {
      const untilMs = 400_000;
      const expected = asked(told, probe, untilMs);
      expect(probeResults(told, probe, 0).filter(({ atMs }) => atMs <= untilMs)).toEqual(expected.found);
      expect([...failuresOf(told, probe, 0, { afterMs: -1, untilMs })]).toEqual(expected.failures);
    }),
  );
});
