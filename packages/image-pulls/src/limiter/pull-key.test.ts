import { expect, test } from 'vitest';
import { pullImageRequest, readPullImageRequest } from '../cri/pull-image-request.js';
import { defaultSharing, pullKeys } from './pull-key.js';

const sandbox = { name: 'web', uid: 'uid-1', namespace: 'shop' };
const base = { image: 'registry.example/web:1', auth: { username: 'ann', password: 'secret' }, sandbox };
const read = (options: Parameters<typeof pullImageRequest>[0]) => readPullImageRequest(pullImageRequest(options));

// what differs | shares
const cases: [string, Partial<Parameters<typeof pullImageRequest>[0]>, boolean][] = [
  ['nothing', {}, true],
  ['the pod', { sandbox: { ...sandbox, name: 'other', uid: 'uid-2' } }, true],
  ['an annotation of the pod', { annotations: { tenant: 'wrote this' } }, true],
  ['the annotation of the runtime handler', { annotations: { 'io.containerd.cri.runtime-handler': 'kata' } }, false],
  ['the reference', { image: 'registry.example/web:2' }, false],
  ['the password', { auth: { username: 'ann', password: 'other' } }, false],
  ['which field holds the secret', { auth: { username: 'ann', identityToken: 'secret' } }, false],
  ['no credentials', { auth: undefined }, false],
  ['empty credentials', { auth: {} }, false],
  ['the namespace', { sandbox: { ...sandbox, namespace: 'bank' } }, false],
];

test.each(cases)('pullKeys(): %s', (_, change, shares) => {
  const key = pullKeys(defaultSharing);
  expect(key(read({ ...base, ...change })) === key(read(base))).toBe(shares);
});

test('pullKeys() tells no credentials and empty credentials apart', () => {
  const key = pullKeys(defaultSharing);
  expect(key(read({ ...base, auth: undefined }))).not.toBe(key(read({ ...base, auth: {} })));
});

test('pullKeys() shares across namespaces only when asked to, and nothing with scope none', () => {
  const elsewhere = { ...base, sandbox: { ...sandbox, namespace: 'bank' } };
  const node = pullKeys({ ...defaultSharing, scope: 'node' });
  expect(node(read(elsewhere))).toBe(node(read(base)));
  const none = pullKeys({ ...defaultSharing, scope: 'none' });
  expect(none(read(base))).not.toBe(none(read(base)));
});

test('keys of two processes differ, so that a log gives nothing away', () => {
  expect(pullKeys(defaultSharing)(read(base))).not.toBe(pullKeys(defaultSharing)(read(base)));
});
