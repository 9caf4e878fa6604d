import { expect, test } from 'vitest';
import { failureStatus, StatusError } from '../transport/status.js';
import type { ReconcileContext } from './controller.js';
import { retryLostRaces } from './lost-race.js';

const refusal = (reason: string, name: string) => new StatusError(failureStatus({ reason, details: { name } }));
const reconciling = (error: unknown) =>
  retryLostRaces(() => Promise.reject(error))({ name: 'a' }, {} as unknown as ReconcileContext);

test.each([
  ['the object was changed', refusal('Conflict', 'a')],
  ['one of its pods was changed', refusal('Conflict', 'a-0')],
  ['the object itself is gone', refusal('NotFound', 'a')],
])('retryLostRaces() looks again when %s', async (_what, error) => {
  expect(await reconciling(error)).toEqual({ requeueAfterMs: 20 });
});

test('retryLostRaces() leaves an object alone whose namespace goes away', async () => {
  const terminating = new StatusError({
    ...refusal('Forbidden', 'a').status,
    details: { name: 'a', causes: [{ reason: 'NamespaceTerminating', message: 'being terminated' }] },
  });
  expect(await reconciling(terminating)).toBeUndefined();
});

test.each([
  ['something else is not found', refusal('NotFound', 'b')],
  ['it is refused', refusal('Forbidden', 'a')],
  ['it is broken', new TypeError('oops')],
])('retryLostRaces() passes the error on when %s', async (_what, error) => {
  await expect(reconciling(error)).rejects.toBe(error);
});

test('retryLostRaces() passes the result on', async () => {
  const reconcile = retryLostRaces(async () => ({ requeueAfterMs: 5 }));
  expect(await reconcile({ name: 'a' }, {} as unknown as ReconcileContext)).toEqual({ requeueAfterMs: 5 });
});
