import { runToCompletion } from '@slipway/api-machinery/event-loop/resumable';
import { expect, test } from 'vitest';
import { asSecondVersion } from './v2-document.js';

const names = [{ group: 'x.dev', version: 'v1', kind: 'Any' }];
const kind = { type: 'object', 'x-kubernetes-group-version-kind': names };
const takesAny = { 'x-kubernetes-preserve-unknown-fields': true };

// a schema of OpenAPI 3 | what clients of OpenAPI 2 are told
test.each([
  ['of a kind that takes any field', { ...kind, ...takesAny, properties: { spec: { type: 'object' } } }, kind],
  [
    'of a kind with fields',
    { ...kind, properties: { a: { type: 'string', nullable: true } } },
    { ...kind, properties: { a: {} } },
  ],
  ['of a field that takes any', { type: 'object', ...takesAny, description: 'd' }, { ...takesAny, description: 'd' }],
])('asSecondVersion(): a schema %s', (_, schema, expected) => {
  const { definitions } = runToCompletion(asSecondVersion({ paths: {}, components: { schemas: { schema } } }));
  expect(definitions).toEqual({ schema: expected });
});
