import { expect, test } from 'vitest';
import { deviceTaintRules } from './device-taint-rule.js';
import { created, createErrors, now, row, updated, updateErrors, writing } from './testing/write.js';

const rule = (taint: object, deviceSelector?: object) => ({
  spec: { taint, ...(deviceSelector && { deviceSelector }) },
});
const good = { key: 'example.dev/a', effect: 'NoSchedule' };

// what it says | what is wrong with it
const rules: [object, string[]][] = [
  [rule(good), []],
  [rule(good, { driver: 'a.dev', pool: 'a/b.c', device: 'd' }), []],
  [
    rule({ effect: 'Never', value: 'a b' }, { driver: '', pool: '', device: 'a.b' }),
    [
      'spec.deviceSelector.driver: Required value',
      'spec.deviceSelector.pool: Required value',
      'spec.deviceSelector.device: Invalid value: "a.b": must not contain dots',
      'spec.taint.key: Invalid value: "": name part must be non-empty',
      expect.stringContaining('spec.taint.key: Invalid value: "": name part must consist of'),
      expect.stringContaining('spec.taint.value: Invalid value: "a b": a valid label'),
      'spec.taint.effect: Unsupported value: "Never": supported values: "NoExecute", "NoSchedule", "None"',
    ],
  ],
  [rule({ key: 'a' }), ['spec.taint.effect: Required value']],
];

test.each(rules)('DeviceTaintRule %#', (object, errors) => {
  expect(createErrors(deviceTaintRules, object)).toEqual(errors);
});

test('DeviceTaintRule says since when its effect holds', () => {
  const old = created(deviceTaintRules, rule(good));
  expect(old.spec.taint.timeAdded).toBe('2026-11-20T12:00:00Z');
  expect(row(deviceTaintRules, old)).toMatchObject({ KEY: 'example.dev/a', EFFECT: 'NoSchedule', TIMEADDED: '0s' });
  const later = { ...writing(), nowMs: now + 5_000 };
  const timeAdded = '2026-11-20T12:00:00Z';
  const time = (taint: object) => updated(deviceTaintRules, old, rule(taint), later).spec.taint.timeAdded;
  expect(time({ ...good, timeAdded })).toBe(timeAdded);
  expect(time({ ...good, timeAdded, effect: 'NoExecute' })).toBe('2026-11-20T12:00:05Z');
  expect(time({ ...good, timeAdded: '2026-01-01T00:00:00Z', effect: 'NoExecute' })).toBe('2026-01-01T00:00:00Z');
});

test('DeviceTaintRule keeps an effect that is unknown, and has at most eight conditions', () => {
  const odd = rule({ ...good, effect: 'Odd' });
  expect(updateErrors(deviceTaintRules, odd, odd)).toEqual([]);
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  const conditions = [...'abcdefghi'].map((type) => ({
    type,
    status: 'True',
    reason: 'R',
    message: '',
    lastTransitionTime,
  }));
  expect(updateErrors(deviceTaintRules, odd, { ...odd, status: { conditions } }, 'status')).toEqual([
    'status.conditions: Too many: 9: must have at most 8 items',
  ]);
});
