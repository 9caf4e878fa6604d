import type { KubeObject } from '@slipway/kube';
import { isSecretToken, secretTokenClaims } from '@slipway/kube-objects/rules/secret-token-claims';
import { expect, test } from 'vitest';
import { secretTokenProblem, secretTokenUser } from './secret-token.js';

const token = 'signed';
const at = '2026-11-20T12:00:00Z';
const account = (metadata: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: 'robot', namespace: 'shop', uid: 'uid-of-robot', ...metadata },
});
const secret = (held = token, metadata: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'key', namespace: 'shop', ...metadata },
  data: { token: Buffer.from(held).toString('base64') },
});
const claims = secretTokenClaims(account(), secret());

// account there | secret there | why the token is not good
const cases: [KubeObject | undefined, KubeObject | undefined, string | undefined][] = [
  [account(), secret(), undefined],
  [account(), undefined, 'Token has been invalidated'],
  [account(), secret(token, { deletionTimestamp: at }), 'Token has been invalidated'],
  [account(), secret('another'), "Token does not match server's copy"],
  [account(), { ...secret(), data: {} }, "Token does not match server's copy"],
  [undefined, secret(), 'ServiceAccount has been deleted'],
  [account({ deletionTimestamp: at }), secret(), 'ServiceAccount has been deleted'],
  [account({ uid: 'uid-of-another' }), secret(), 'ServiceAccount UID has changed'],
];

test.each(cases)('a token with account %j and secret %j', (accountThere, secretThere, why) => {
  const there = new Map([
    ['serviceaccounts shop/robot', accountThere],
    ['secrets shop/key', secretThere],
  ]);
  const latest = (resource: string, namespace: string, name: string) => {
    const object = there.get(`${resource} ${namespace}/${name}`);
    return object && ({ object } as never);
  };
  expect(secretTokenProblem(claims, token, { latest })).toBe(why);
});

test('a token in a secret is told from others by its issuer, and its bearer is the account', () => {
  expect(isSecretToken(claims)).toBe(true);
  expect(isSecretToken({ iss: 'https://kubernetes.default.svc.cluster.local' })).toBe(false);
  expect(secretTokenUser(claims)).toEqual({
    name: 'system:serviceaccount:shop:robot',
    uid: 'uid-of-robot',
    groups: ['system:serviceaccounts', 'system:serviceaccounts:shop', 'system:authenticated'],
  });
});
