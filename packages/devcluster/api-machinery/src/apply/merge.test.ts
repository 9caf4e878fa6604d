import { expect, test } from 'vitest';
import { runToCompletion } from '../event-loop/resumable.js';
import { followingSchema } from './follow-schema.js';
import { merge } from './merge.js';
import { removeFields } from './remove-fields.js';
import { someKind } from './testing/some-objects.js';

const tags = someKind.type.field('spec')?.field('tags') ?? someKind.type;
const spec = someKind.type.field('spec') ?? someKind.type;

// there | applied | merged: what both have goes in the order of what is applied
const orders: [string, string, string][] = [
  ['a b', 'c', 'a b c'],
  ['c a b', 'b d a', 'c b d a'],
  ['c b d a', 'a b c', 'd a b c'],
  ['d a b c', 'e a', 'd e a b c'],
  ['a b', 'b a', 'b a'],
  ['', 'a', 'a'],
  ['a', '', 'a'],
];

test.each(orders)('merge() lays [%s] over [%s]', (there, applied, merged) => {
  const list = (words: string) => words.split(' ').filter(Boolean);
  expect(merge(tags, list(there), list(applied))).toEqual(list(merged));
});

test('merge() keeps what a null stands for, except for scalars', () => {
  const live = { size: 'x', labels: { a: '1' }, tags: ['t'], steps: ['s'] };
  const config = { size: null, labels: null, tags: null, steps: null };
  expect(merge(spec, live, config)).toEqual({ size: null, labels: { a: '1' }, tags: ['t'], steps: null });
});

test('removeFields() leaves null where there is nothing left', () => {
  const value = { size: 'x', nested: { a: '1' }, ports: [{ port: 1, note: 'n' }, { port: 2 }] };
  const fields = {
    'f:nested': { 'f:a': {} },
    'f:ports': { 'k:{"port":1,"protocol":"TCP"}': { 'f:note': {} }, 'k:{"port":2,"protocol":"TCP"}': {} },
  };
  expect(removeFields(spec, value, fields)).toEqual({ size: 'x', nested: null, ports: [{ port: 1 }] });
});

test('runToCompletion(followingSchema()) makes the owner of a part of what became atomic the owner of the whole', () => {
  const before = { 'f:whole': { '.': {}, 'f:a': {} }, 'f:steps': { 'v:"x"': {} }, 'f:labels': { 'f:a': {} } };
  expect(runToCompletion(followingSchema(spec, before))).toEqual({
    'f:whole': {},
    'f:steps': {},
    'f:labels': { 'f:a': {} },
  });
  const now = { 'f:whole': {}, 'f:labels': { 'f:a': {} } };
  expect(runToCompletion(followingSchema(spec, now))).toBe(now);
});
