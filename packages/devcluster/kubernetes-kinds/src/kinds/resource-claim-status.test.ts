import { expect, test } from 'vitest';
import { resourceClaims } from './resource-claim.js';
import { updated, updateErrors, writing } from './testing/write.js';

const spec = { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu.example.com' } }] } };
const device = (name: string) => ({ request: 'gpu', driver: 'gpu.example.com', pool: 'n1', device: name });
const allocation = { devices: { results: [device('gpu-0')] } };
const pod = (uid: string) => ({ resource: 'pods', name: 'p', uid });
const errors = (before: object, after: object, metadata = {}) => {
  const claim = (status: object) => ({ metadata: { name: 'it', ...metadata }, spec, status });
  // A new object has no status of its own: what the update replaces is an update, too.
  return updateErrors(resourceClaims, claim({}), claim(after), 'status').concat(
    resourceClaims.validateUpdate(claim(after) as never, claim(before) as never, 'status').map(({ detail }) => detail),
  );
};
const many = Array.from({ length: 257 }, (_, index) => pod(`u${index}`));

// what is wrong | status before | status after | metadata | part of a message
const wrong: [string, object, object, object, string][] = [
  ['more than 256 consumers', { allocation }, { allocation, reservedFor: many }, {}, 'must have at most 256 items'],
  ['a consumer twice', { allocation }, { allocation, reservedFor: [pod('a'), pod('a')] }, {}, 'Duplicate value: "a"'],
  ['a consumer without a uid', { allocation }, { allocation, reservedFor: [pod('')] }, {}, '[0].uid: Required'],
  ['consumers of nothing', {}, { reservedFor: [pod('a')] }, {}, 'when `allocated` is not set'],
  [
    'a new consumer of a claim that was deleted',
    { allocation },
    { allocation, reservedFor: [pod('a')] },
    { deletionTimestamp: '2026-11-20T12:00:00Z' },
    'new entries may not be added',
  ],
  ['other devices', { allocation }, { allocation: { devices: { results: [device('gpu-1')] } } }, {}, 'immutable'],
];

test.each(wrong)('a claim may not get %s', (_what, before, after, metadata, message) => {
  expect(errors(before, after, metadata).join('\n')).toContain(message);
});

test('a claim may get 256 consumers, and lose them and its devices', () => {
  const used = { allocation, reservedFor: many.slice(1) };
  expect(errors({ allocation }, used)).toEqual([]);
  expect(errors(used, {})).toEqual([]);
});

test('a claim that loses devices loses what was reported of them', () => {
  const reported = (name: string) => ({ driver: 'gpu.example.com', pool: 'n1', device: name });
  const claim = (status: object) => ({ metadata: { name: 'it' }, spec, status });
  const before = claim({ allocation, devices: [reported('gpu-0')] });
  const after = updated(
    resourceClaims,
    before as never,
    claim({ devices: [reported('gpu-0')] }),
    writing({ subresource: 'status' }),
  );
  expect(after.status).toEqual({});
  const kept = updated(resourceClaims, before as never, before, writing({ subresource: 'status' }));
  expect(kept.status.devices).toMatchObject([reported('gpu-0')]);
});
