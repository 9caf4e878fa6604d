import { stringifyJson } from '@slipway/kube';
import { expect, test } from 'vitest';
import { readYaml, yamlReadyFor } from './yaml-body.js';

const data = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`k${index}`, 'v']));
const json = { kind: 'ConfigMap', data };

test('a large body is read before it is asked for, and every reader gets a value of its own', async () => {
  const bytes = Buffer.from(stringifyJson(json));
  await yamlReadyFor({
    method: 'PUT',
    path: '/',
    headers: { 'content-type': 'application/yaml' },
    user: { name: '', groups: [] },
    body: { bytes },
  });
  const values = [1, 2, 3].map(() => readYaml(bytes).value as { data: Record<string, string> });
  expect(values).toEqual([json, json, json]);
  for (const [index, value] of values.entries()) value.data.k0 = String(index);
  expect(values.map((value) => value.data.k0)).toEqual(['0', '1', '2']);
  expect(readYaml(bytes).value).toEqual(json);
});
