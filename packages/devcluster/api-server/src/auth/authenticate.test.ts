import { ManualClock } from '@slipway/kube/testing';
import { memoryStore } from '@slipway/object-store/memory-store';
import { expect, test } from 'vitest';
import type { ApiRequest } from '../request/request.js';
import { authenticator, tokenChecker } from './authenticate.js';
import { aUser } from './testing/ask-as.js';
import { ServiceAccountTokens } from './tokens/service-account-tokens.js';

const robot = aUser('robot', 'machines');
const clock = new ManualClock();
const tokens = new ServiceAccountTokens({ store: memoryStore({ clock }), clock });
const authenticate = authenticator(tokenChecker(tokens, new Map([['secret', robot]])));
const request = (more: Partial<ApiRequest>): ApiRequest => ({
  method: 'GET',
  path: '/',
  headers: {},
  user: undefined,
  ...more,
});
const bearing = (authorization: string, more: Partial<ApiRequest> = {}) =>
  request({ headers: { authorization }, ...more });

test('a token that was handed out stands for its user', () => {
  expect(authenticate(bearing('Bearer secret'))).toBe(robot);
  expect(authenticate(bearing('bearer secret'))).toBe(robot);
});

test('a certificate goes before a token, and a token before a certificate that is not believed', () => {
  const jane = aUser('jane');
  expect(authenticate(bearing('Bearer secret', { user: jane }))).toBe(jane);
  expect(authenticate(bearing('Bearer secret', { credentials: 'rejected' }))).toBe(robot);
});

test('who shows nothing is anonymous, and who shows something that is not believed is nobody at all', async () => {
  expect(authenticate(request({}))).toMatchObject({ name: 'system:anonymous', groups: ['system:unauthenticated'] });
  expect(() => authenticate(request({ credentials: 'rejected' }))).toThrow('Unauthorized');
  await expect(authenticate(bearing('Bearer other'))).rejects.toMatchObject({ code: 401 });
});
