import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { compactTable, printTable, withAggregation } from './make-type-table.js';
import { openTable } from './message-table.js';

const facts = fileURLToPath(new URL('../../../../../testdata/kubernetes-types/k8s-types.json', import.meta.url));

test('the table that ships is made from the facts', () => {
  const shipped = readFileSync(new URL('./k8s-types.json', import.meta.url), 'utf8');
  const made = withAggregation(compactTable(JSON.parse(readFileSync(facts, 'utf8')), 34));
  expect(shipped).toBe(printTable(made));
  expect(openTable(shipped).message('core.v1.Pod').byName.get('spec')?.message?.id).toBe('core.v1.PodSpec');
});

test('compactTable() leaves out what the version does not have', () => {
  const table = compactTable(
    {
      snapshot: {},
      packages: [{ prefix: 'core.v1', proto: 'k8s.io.api.core.v1' }],
      enums: { 'core.v1.E': ['A'] },
      kinds: [{ group: '', version: 'v1', kind: 'X', message: 'core.v1.X' }],
      messages: {
        'core.v1.X': {
          typeMeta: true,
          fields: [
            { number: 1, name: 'a', type: 'string', omitempty: true, enum: 'core.v1.E' },
            { number: 2, name: 'b', type: 'core.v1.New', pointer: true },
            { number: 3, name: 'c', type: 'int32', since: '1.35' },
            { number: 4, name: 'd', type: 'map<string,elsewhere.v1.Y>' },
          ],
        },
        'core.v1.New': { since: '1.35', fields: [] },
        'elsewhere.v1.Y': { fields: [] },
      },
    },
    34,
  );
  expect(table.messages).toEqual({
    'core.v1.X': { typeMeta: true, fields: [[1, 'a', 'string', 'o', { enum: 'core.v1.E' }]] },
  });
  expect(table.kinds).toEqual({ 'core.v1.X': ['', 'v1', 'X'] });
});
