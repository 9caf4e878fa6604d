import { aPod } from '@slipway/devcluster/testing/a-server';
import { expect, test } from 'vitest';
import { aServerWithRoles, askAs } from '../testing/ask-as.js';

const accounts = '/api/v1/namespaces/default/serviceaccounts';
const whoami = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
const issuer = 'https://kubernetes.default.svc.cluster.local';

/** A server with a service account `robot`, and a way to ask by its token. */
async function setUp() {
  const server = await aServerWithRoles();
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } };
  await server.ask('POST', accounts, account);
  const request = (spec: object = {}) =>
    server.ask('POST', `${accounts}/robot/token`, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec,
    });
  const bearing = (token: string) =>
    askAs(server.api, undefined)('POST', whoami, review, { authorization: `Bearer ${token}` });
  const reviewOf = async (token: string, audiences?: string[]) => {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token, audiences } };
    return (await server.ask('POST', '/apis/authentication.k8s.io/v1/tokenreviews', body)).body.status;
  };
  return { ...server, account, request, bearing, reviewOf };
}

const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

test('a token says whose it is, and its bearer is taken for that', async () => {
  const { ask, clock, request, bearing } = await setUp();
  const { status, body } = await request();
  expect(status).toBe(201);
  const { uid } = (await ask('GET', `${accounts}/robot`)).body.metadata;
  const now = Math.floor(clock.now() / 1000);
  expect(claimsOf(body.status.token)).toEqual({
    aud: [issuer],
    iss: issuer,
    sub: 'system:serviceaccount:default:robot',
    iat: now,
    nbf: now,
    exp: now + 3600,
    jti: expect.any(String),
    'kubernetes.io': { namespace: 'default', serviceaccount: { name: 'robot', uid } },
  });
  expect(body.spec).toMatchObject({ audiences: [issuer], expirationSeconds: 3600 });
  expect(Date.parse(body.status.expirationTimestamp)).toBe((now + 3600) * 1000);
  const who = await bearing(body.status.token);
  expect(who.body.status.userInfo).toEqual({
    username: 'system:serviceaccount:default:robot',
    uid,
    groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
    extra: { 'authentication.kubernetes.io/credential-id': [`JTI=${claimsOf(body.status.token).jti}`] },
  });
});

test('a token is good until its time is over, and a minute longer for clocks that differ', async () => {
  const { clock, request, bearing, reviewOf } = await setUp();
  const { token } = (await request({ expirationSeconds: 600 })).body.status;
  await clock.advance(660_000);
  expect((await bearing(token)).status).toBe(201);
  await clock.advance(1_000);
  expect((await bearing(token)).body).toMatchObject({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' });
  expect(await reviewOf(token)).toEqual({
    user: {},
    error: '[invalid bearer token, service account token has expired]',
  });
});

test('a token ends with its account, and another of that name does not bring it back', async () => {
  const { ask, account, request, bearing } = await setUp();
  const { token } = (await request()).body.status;
  expect((await bearing(token)).status).toBe(201);
  await ask('DELETE', `${accounts}/robot`);
  expect((await bearing(token)).status).toBe(401);
  await ask('POST', accounts, account);
  expect((await bearing(token)).status).toBe(401);
});

test('a token bound to a pod or a secret ends with it', async () => {
  const { ask, request, bearing } = await setUp();
  const pod = aPod('p', { nodeName: 'n1' });
  await ask('POST', '/api/v1/namespaces/default/pods', { ...pod, spec: { ...pod.spec, serviceAccountName: 'robot' } });
  await ask('POST', '/api/v1/namespaces/default/secrets', {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's' },
  });
  const bound = async (kind: string, name: string): Promise<string> =>
    (await request({ boundObjectRef: { apiVersion: 'v1', kind, name } })).body.status.token;
  const [ofPod, ofSecret] = [await bound('Pod', 'p'), await bound('Secret', 's')];
  const { extra } = (await bearing(ofPod)).body.status.userInfo;
  expect(extra).toMatchObject({
    'authentication.kubernetes.io/pod-name': ['p'],
    'authentication.kubernetes.io/node-name': ['n1'],
  });
  await ask('DELETE', '/api/v1/namespaces/default/pods/p?gracePeriodSeconds=0');
  await ask('DELETE', '/api/v1/namespaces/default/secrets/s');
  expect((await bearing(ofPod)).status).toBe(401);
  expect((await bearing(ofSecret)).status).toBe(401);
});

// what is wanted | code | message
const refused: [object, number, string][] = [
  [
    { expirationSeconds: 599 },
    422,
    'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
  ],
  [
    { expirationSeconds: 2 ** 32 + 1 },
    422,
    'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds',
  ],
  [{ boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'gone' } }, 404, 'pods "gone" not found'],
  [
    { boundObjectRef: { apiVersion: 'v1', kind: 'ConfigMap', name: 'c' } },
    400,
    'cannot bind token to object of type /v1, Kind=ConfigMap',
  ],
  [
    { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'other' } },
    400,
    'cannot bind token for serviceaccount "robot" to pod running with different serviceaccount name.',
  ],
  [
    { boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name: 's', uid: 'x' } },
    409,
    'Operation cannot be fulfilled on Secret "s": the UID in the bound object reference (x) does not match the UID in record. The object might have been deleted and then recreated',
  ],
];

test.each(refused)('a token of %o is refused', async (spec, code, message) => {
  const { ask, request } = await setUp();
  await ask('POST', '/api/v1/namespaces/default/pods', aPod('other'));
  await ask('POST', '/api/v1/namespaces/default/secrets', {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's' },
  });
  const { status, body } = await request(spec);
  expect([status, body.message]).toEqual([code, message]);
});

test('an account must be there to get a token', async () => {
  const { ask } = await setUp();
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const { status, body: answer } = await ask('POST', `${accounts}/nosuch/token`, body);
  expect([status, answer.message]).toEqual([404, 'serviceaccounts "nosuch" not found']);
});

test('a token for others is none for this server, and a review says for whom it is', async () => {
  const { request, bearing, reviewOf } = await setUp();
  const { token } = (await request({ audiences: ['vault', 'registry'] })).body.status;
  expect((await bearing(token)).status).toBe(401);
  expect(await reviewOf(token, ['vault', 'other'])).toMatchObject({
    authenticated: true,
    user: { username: 'system:serviceaccount:default:robot' },
    audiences: ['vault'],
  });
  expect(await reviewOf(token)).toEqual({
    user: {},
    error: `[invalid bearer token, token audiences ["vault" "registry"] is invalid for the target audiences ["${issuer}"]]`,
  });
  expect(await reviewOf('x.y.z')).toEqual({ user: {}, error: 'invalid bearer token' });
});

test('a token that was changed, or that somebody else signed, is not believed', async () => {
  const [one, other] = [await setUp(), await setUp()];
  const { token } = (await one.request()).body.status;
  const [head, claims = '', signature] = token.split('.');
  const forged = { ...claimsOf(token), sub: 'system:serviceaccount:kube-system:admin' };
  const changed = [head, Buffer.from(JSON.stringify(forged)).toString('base64url'), signature].join('.');
  const none = [Buffer.from('{"alg":"none"}').toString('base64url'), claims, ''].join('.');
  for (const bad of [changed, none, (await other.request()).body.status.token]) {
    expect((await one.bearing(bad)).status).toBe(401);
  }
  expect((await one.bearing(token)).status).toBe(201);
});
