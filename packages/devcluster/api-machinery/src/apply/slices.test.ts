import { expect, test } from 'vitest';
import type { Resumable } from '../event-loop/resumable.js';
import type { FieldSchema } from '../schema/object-schema.js';
import { conflictsOf } from './apply-conflict.js';
import { checkingType } from './check-type.js';
import { comparing } from './compare.js';
import { findingFields } from './fields-of.js';
import { followingSchema } from './follow-schema.js';
import { encodeManagers } from './managers.js';
import { merging } from './merge.js';

const text: FieldSchema = { type: 'scalar', scalar: 'string', field: () => undefined };
const map: FieldSchema = { type: 'map', field: () => text };
const set: FieldSchema = { type: 'list', listType: 'set', items: text, field: () => undefined };

const count = 20_000;
const names = Array.from({ length: count }, (_, index) => `k${index}`);
const values = Object.fromEntries(names.map((name) => [name, 'v']));
const fields = Object.fromEntries(names.map((name) => [`f:${name}`, {}]));
const owned = { name: 'm', operation: 'Update', subresource: '', apiVersion: 'v1', fields } as const;

test.each<[string, () => Resumable<unknown>]>([
  ['checkingType() of a map', () => checkingType(map, values, 'refused')],
  ['checkingType() of a set', () => checkingType(set, names, 'refused')],
  ['merging() maps', () => merging(map, values, values)],
  ['merging() into a map', () => merging(map, values, { a: 'b' })],
  ['merging() sets', () => merging(set, names, names)],
  ['findingFields() of a map', () => findingFields(map, values)],
  ['findingFields() of a set', () => findingFields(set, names)],
  ['followingSchema()', () => followingSchema(map, fields)],
  ['comparing() with nothing', () => comparing(map, {}, values)],
  ['comparing() sets', () => comparing(set, names, [...names].reverse())],
  ['encodeManagers()', () => encodeManagers(new Map([['m', owned]]))],
  ['conflictsOf()', () => conflictsOf(new Map([['m', fields]]), new Map([['m', owned]]))],
])('%s yields for every 1,000 of 20,000 fields', (_what, work) => {
  expect([...work()].length).toBeGreaterThanOrEqual(count / 1_000 - 1);
});
