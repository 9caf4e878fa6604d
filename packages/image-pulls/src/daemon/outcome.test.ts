import { expect, test } from 'vitest';
import type { UnaryAnswer } from '../runtime/unary-call.js';
import { outcomeOf } from './outcome.js';

const of = (said: string) => `failed to pull and unpack image "127.0.0.1:40140/a:1": ${said}`;
const digest = `sha256:401404503${'ab'.repeat(27)}c`;

test.each([
  [
    of('unexpected status from HEAD request to http://127.0.0.1:40140/v2/a/manifests/1: 401 Unauthorized'),
    'unauthorized',
  ],
  [of('reading manifest 1 in 127.0.0.1:40140/a: StatusCode: 401, ""'), 'unauthorized'],
  [of('unexpected status from HEAD request to http://127.0.0.1:40140/v2/a/manifests/1: 403 Forbidden'), 'unauthorized'],
  [of('127.0.0.1:40140/a:1: not found'), 'not_found'],
  [of('reading manifest 1 in 127.0.0.1:40140/a: StatusCode: 404, ""'), 'not_found'],
  [
    of('unexpected status from HEAD request to http://127.0.0.1:40140/v2/a/manifests/1: 503 Service Unavailable'),
    'registry_away',
  ],
  [
    of('unexpected status from HEAD request to http://127.0.0.1:40140/v2/a/manifests/1: 429 Too Many Requests'),
    'registry_away',
  ],
  [of('dial tcp 127.0.0.1:40140: connect: connection refused'), 'registry_away'],
  [of(`unexpected commit digest ${digest}, expected sha256:1: failed precondition`), 'other'],
  [of('write /var/lib/containerd: no space left on device'), 'no_space'],
])('%s: %s', (message, outcome) => {
  const trailers = { 'grpc-status': '2', 'grpc-message': message };
  expect(outcomeOf({ value: { trailers } as unknown as UnaryAnswer })).toBe(outcome);
});
