import { expect, test } from 'vitest';
import { negotiate } from './negotiate.js';

const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';

// accept | what it gets
const accepted: [string | undefined, string][] = [
  [undefined, 'json object'],
  ['', 'json object'],
  ['*/*', 'json object'],
  ['text/html, application/json;q=0.1', 'json object'],
  ['application/vnd.kubernetes.protobuf,application/json', 'json object'],
  ['application/yaml', 'yaml object'],
  [`${table},application/json`, 'json Table'],
  ['application/json;as=Table;v=v9;g=meta.k8s.io,application/json', 'json object'],
  ['application/json;q=0.5,application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io', 'json PartialObjectMetadata'],
];

test.each(accepted)('negotiate(%j)', (accept, expected) => {
  const { format, as } = negotiate(accept);
  expect(`${format} ${as}`).toBe(expected);
});

test.each(['text/html', 'application/cbor', 'nonsense', 'application/vnd.kubernetes.protobuf'])(
  'negotiate(%j) is refused',
  (accept) => {
    expect(() => negotiate(accept)).toThrow('only the following media types are accepted');
  },
);

test('negotiate() returns no table of a value that is not an object', () => {
  expect(() => negotiate(table, 'nothing')).toThrow('only the following media types are accepted');
});
