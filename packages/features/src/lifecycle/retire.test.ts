import { describe, expect, test } from 'vitest';
import type { FeatureStatus } from '../api/feature.js';
import { aDefinition, allOff, aScan, aSituation } from '../testing/a-situation.js';
import { reasonToKeep } from './retire.js';
import { step } from './step.js';

const off: FeatureStatus = {
  state: 'Off',
  lastKnownVersion: '1.34',
  dangling: aScan(0),
  effective: { stage: 'Alpha', default: false, locked: false },
};
const gone = { stage: 'GA', default: true, locked: true };

// cluster | status | kept because
const cases: [string | undefined, Partial<FeatureStatus>, string | undefined][] = [
  ['1.37', {}, undefined],
  ['2.0', {}, undefined],
  ['1.36', {}, '1.34 knew it, and it is kept for 3 versions; this is 1.36'],
  ['1.33', {}, '1.34 knew it, and it is kept for 3 versions; this is 1.33'],
  [undefined, {}, 'the version that knew it last is not known'],
  ['1.37', { dangling: aScan(2) }, '2 objects still use it'],
  ['1.37', { dangling: { ...aScan(0), complete: false } }, 'the last look for what was left behind was not complete'],
  ['1.37', { state: 'On' }, 'it is On, not Off'],
  ['1.37', { state: 'On', effective: gone }, undefined],
  ['1.36', { state: 'On', effective: gone }, '1.34 knew it, and it is kept for 3 versions; this is 1.36'],
];

test.each(cases)('reasonToKeep() at %s with %j: %s', (coreVersion, differs, why) => {
  expect(reasonToKeep({ status: { ...off, ...differs }, coreVersion, definition: aDefinition })).toBe(why);
});

test('reasonToKeep(): without a definition it is unknown what a use was, so a scan must have been kept', () => {
  const { dangling: _none, ...unseen } = off;
  expect(reasonToKeep({ status: unseen, coreVersion: '1.37' })).toBe('not scanned for leftovers yet');
  expect(reasonToKeep({ status: off, coreVersion: '1.37' })).toBeUndefined();
});

describe('step() of an unknown Feature', () => {
  const unknown = { reason: 'NotSeen', message: 'it is unknown' } as const;
  const base = aSituation('Off', { uses: allOff, coreVersion: '1.37' });
  const situation = { ...base, unknown, status: { ...base.status, ...off, conditions: [] } };

  test('it says so once, keeps the version since when, and does nothing that changes anything', () => {
    const taken = step({ ...situation, coreVersion: '1.35', spec: { ...base.spec, desired: 'On' } });
    expect(taken.status).toMatchObject({ state: 'Off', lastKnownVersion: '1.34', unknownSince: '1.35' });
    expect(taken.events.map(({ reason }) => reason)).toEqual(['FeatureUnknown']);
    expect(taken).toMatchObject({ openRound: false, next: undefined });
    const known = taken.status.conditions?.find(({ type }) => type === 'Known');
    expect(known).toMatchObject({ status: 'False', reason: 'NotSeen' });
    expect(known?.message).toContain('it is kept for 3 versions');
    const again = step({ ...situation, coreVersion: '1.36', status: taken.status });
    expect(again).toMatchObject({ openRound: false, events: [], next: undefined, wakeAfterMs: undefined });
    expect(again.status.unknownSince).toBe('1.35');
  });

  test('it is retired only after a look at what there is now, not for a look of long ago', () => {
    const first = step(situation);
    expect(first.next).toEqual({ kind: 'scanReferences' });
    const found = step({ ...situation, status: first.status, scan: aScan(1) });
    expect(found.next).toBeUndefined();
    const clean = step({ ...situation, status: first.status, scan: aScan(0) });
    expect(clean.next).toEqual({ kind: 'retire' });
  });

  test('known again, it goes on where it was', () => {
    const frozen = step({ ...situation, coreVersion: '1.35' });
    const { status } = step({ ...situation, unknown: undefined, coreVersion: '1.36', status: frozen.status });
    expect(status.unknownSince).toBeUndefined();
    expect(status.lastKnownVersion).toBe('1.36');
  });
});
