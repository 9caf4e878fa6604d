import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { compactTable, printTable, type TypeFacts, withAggregation } from './make-type-table.js';
import { openTable } from './message-table.js';
import { newestMinor, supportedVersions } from './supported-versions.js';

const facts = JSON.parse(
  readFileSync(
    fileURLToPath(new URL('../../../../../testdata/kubernetes-types/k8s-types.json', import.meta.url)),
    'utf8',
  ),
) as TypeFacts;

test('the table that ships is made from the facts of the supported versions', () => {
  const shipped = readFileSync(new URL('./k8s-types.json', import.meta.url), 'utf8');
  expect(shipped).toBe(printTable(withAggregation(compactTable(facts))));
  expect(openTable(JSON.parse(shipped)).message('core.v1.Pod').byName.get('spec')?.message?.id).toBe('core.v1.PodSpec');
  expect(facts.snapshot.versions.map((version) => version.replace(/\.\d+$/, ''))).toEqual(supportedVersions);
  expect(supportedVersions.at(-1)).toBe(`1.${newestMinor}`);
});

const small = compactTable({
  snapshot: { versions: ['1.35.1', '1.36.2', '1.37.0'] },
  packages: [{ prefix: 'core.v1', proto: 'k8s.io.api.core.v1' }],
  enums: { 'core.v1.E': ['A'] },
  gates: {
    Never: [['1.37', false]],
    Later: [
      ['1.35', false],
      ['1.37', true],
    ],
    Always: [['1.34', true]],
  },
  kinds: [
    { group: '', version: 'v1', kind: 'X', message: 'core.v1.X' },
    { group: '', version: 'v1', kind: 'New', message: 'core.v1.New' },
  ],
  messages: {
    'core.v1.X': {
      typeMeta: true,
      fields: [
        { number: 1, name: 'a', type: 'string', omitempty: true, enum: 'core.v1.E', featureGates: ['Always'] },
        { number: 2, name: 'b', type: 'core.v1.New', pointer: true, since: '1.36', featureGates: ['Later', 'Always'] },
        { number: 3, name: 'c', type: 'int32', lastIn: '1.35', featureGates: ['Never'] },
        { number: 4, name: 'd', type: 'map<string,elsewhere.v1.Y>' },
      ],
    },
    'core.v1.New': { since: '1.36', fields: [] },
    'elsewhere.v1.Y': { fields: [] },
  },
});

test('compactTable() keeps the packages served, and gates that are off in a version', () => {
  expect(small.messages['core.v1.X']).toEqual({
    typeMeta: true,
    fields: [
      [1, 'a', 'string', 'o', { enum: 'core.v1.E' }],
      [2, 'b', 'core.v1.New', 'p', { since: 36, gates: ['Later'] }],
      [3, 'c', 'int32', '', { lastIn: 35, gates: ['Never'] }],
    ],
  });
  expect(small.gates).toEqual({ Never: 0, Later: 37 });
});

// minor version | fields, with their gates that are off | kinds
test.each([
  [35, { a: undefined, c: ['Never'] }, ['X']],
  [36, { a: undefined, b: ['Later'] }, ['X', 'New']],
  [37, { a: undefined, b: undefined }, ['X', 'New']],
])('openTable() for minor version %i', (minor, fields, kinds) => {
  const table = openTable(JSON.parse(printTable(small)), minor);
  const { byName } = table.message('core.v1.X');
  expect(Object.fromEntries([...byName].map(([name, { offGates }]) => [name, offGates]))).toEqual(fields);
  expect(Object.values(table.head.kinds).map(([, , kind]) => kind)).toEqual(kinds);
});
