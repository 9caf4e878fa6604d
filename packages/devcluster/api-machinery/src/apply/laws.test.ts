import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runToCompletion } from '../event-loop/resumable.js';
import { type Applied, applyConfiguration } from './apply-configuration.js';
import { ApplyConflict } from './apply-conflict.js';
import { compare } from './compare.js';
import { difference, intersection, isEmpty, sameFields, union } from './field-set.js';
import { fieldsOf } from './fields-of.js';
import { decodeManagers, encodeManagers, identityOf, type Managers } from './managers.js';
import { systemManagedFields } from './system-managed-fields.js';
import { nothing, someConfig, someKind, twoParts } from './testing/some-objects.js';
import { trackUpdate } from './track-update.js';

interface State {
  readonly object: unknown;
  readonly managers: Managers;
}

const time = '2026-01-01T00:00:00Z';
const start: State = { object: nothing, managers: new Map() };

function apply({ object, managers }: State, name: string, config: unknown, force = false): State {
  const applier = { name, operation: 'Apply', subresource: '' } as const;
  const applied: Applied = runToCompletion(
    applyConfiguration(someKind, object, managers, { config, applier, force, time }),
  );
  return { object: applied.object ?? object, managers: applied.managers };
}

function update({ object, managers }: State, name: string, next: unknown): State {
  const writer = { name, operation: 'Update', subresource: '' } as const;
  return { object: next, managers: runToCompletion(trackUpdate(someKind, object, next, managers, writer, time)) };
}

function owned({ managers }: State, name: string) {
  return managers.get(identityOf({ name, operation: 'Apply', subresource: '' }, ''))?.fields ?? {};
}

/** What a configuration speaks about. */
const said = (config: unknown) => difference(fieldsOf(someKind.type, config), systemManagedFields);
/** Everything that is in an object. */
const held = (object: unknown) => compare(someKind.type, {}, object).added;

test('applying the same twice changes nothing', () => {
  fc.assert(
    fc.property(someConfig, someConfig, (first, second) => {
      const once = apply(apply(start, 'a', first), 'b', second, true);
      expect(apply(once, 'b', second)).toEqual(once);
    }),
  );
});

test('an applier owns what it said, no more and no less', () => {
  fc.assert(
    fc.property(someConfig, someConfig, (first, second) => {
      const state = apply(apply(start, 'a', first), 'a', second);
      expect(sameFields(owned(state, 'a'), said(second))).toBe(true);
    }),
  );
});

test('what an applier no longer says is gone, and nothing of what it still says', () => {
  fc.assert(
    fc.property(someConfig, someConfig, (first, second) => {
      const alone = apply(apply(start, 'a', first), 'a', second);
      const left = held(alone.object);
      expect(isEmpty(intersection(said(alone.object), difference(said(first), said(second))))).toBe(true);
      expect(isEmpty(difference(said(second), left))).toBe(true);
    }),
  );
});

test('what another applier owns, or anybody else wrote, stays when one leaves', () => {
  fc.assert(
    fc.property(someConfig, someConfig, (mine, theirs) => {
      const both = apply(apply(start, 'a', mine), 'b', theirs, true);
      const left = apply(both, 'a', nothing);
      expect(isEmpty(difference(said(theirs), held(left.object)))).toBe(true);
      expect(owned(left, 'b')).toEqual(owned(both, 'b'));
    }),
  );
});

test('appliers who speak of different things commute', () => {
  fc.assert(
    fc.property(twoParts, ([first, second]) => {
      const one = apply(apply(start, 'a', first), 'b', second);
      const other = apply(apply(start, 'b', second), 'a', first);
      const { added, modified, removed } = compare(someKind.type, one.object, other.object);
      expect([added, modified, removed].every(isEmpty)).toBe(true);
      for (const name of ['a', 'b']) expect(sameFields(owned(one, name), owned(other, name))).toBe(true);
    }),
  );
});

test('a conflict is told exactly when a field of another manager would change, and force takes it', () => {
  fc.assert(
    fc.property(someConfig, someConfig, (first, second) => {
      const before = apply(start, 'a', first);
      const forced = apply(before, 'b', second, true);
      const { added, modified } = compare(someKind.type, before.object, forced.object);
      const contested = intersection(owned(before, 'a'), union(added, modified));
      if (isEmpty(contested)) expect(apply(before, 'b', second)).toEqual(forced);
      else expect(() => apply(before, 'b', second)).toThrow(ApplyConflict);
      expect(isEmpty(intersection(owned(forced, 'a'), contested))).toBe(true);
      expect(isEmpty(difference(said(second), held(forced.object)))).toBe(true);
    }),
  );
});

test('whoever updates owns what changed, and nobody owns what is gone', () => {
  fc.assert(
    fc.property(someConfig, someConfig, someConfig, (first, second, next) => {
      const before = update(apply(start, 'a', first), 'u', second);
      const after = update(before, 'v', next);
      const { added, modified, removed } = compare(someKind.type, before.object, after.object);
      const changed = difference(union(added, modified), systemManagedFields);
      for (const { name, fields } of after.managers.values()) {
        expect(isEmpty(intersection(fields, removed))).toBe(true);
        if (name === 'v') expect(isEmpty(difference(changed, fields))).toBe(true);
        else expect(isEmpty(intersection(fields, changed))).toBe(true);
      }
    }),
  );
});

test('who owns what survives its encoding', () => {
  fc.assert(
    fc.property(someConfig, someConfig, (first, second) => {
      const { managers } = update(apply(start, 'a', first), 'u', second);
      const sent: unknown = JSON.parse(JSON.stringify(runToCompletion(encodeManagers(managers)) ?? null));
      expect(runToCompletion(encodeManagers(runToCompletion(decodeManagers(sent))))).toEqual(
        runToCompletion(encodeManagers(managers)),
      );
    }),
  );
});
