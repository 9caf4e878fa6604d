import { runToCompletion } from '@slipway/api-machinery/event-loop/resumable';
import { aServer, named } from '@slipway/devcluster/testing/a-server';
import { expect, test } from 'vitest';
import { noRoom } from './storage-room.js';

const configMaps = '/api/v1/namespaces/default/configmaps';

/** An object whose document is of so many bytes, with the newline at its end. */
function ofSize(bytes: number) {
  const object = named('ConfigMap', 'a', { x: '' });
  return { ...object, x: 'z'.repeat(bytes - JSON.stringify(object).length - 1) };
}

test('the message to etcd is counted to the byte, and told beyond what its client sends', () => {
  // Recorded of Kubernetes 1.36: an object of 2,900,219 bytes under a key of 82 makes a message of 2,900,408.
  const key = '/registry/apiextensions.kubernetes.io/rec.slipway.dev/notes/r-errors-size-limits/d';
  expect(runToCompletion(noRoom(ofSize(2_900_219), key, undefined))?.status).toMatchObject({
    message: 'rpc error: code = ResourceExhausted desc = trying to send message larger than max (2900408 vs. 2097152)',
    code: 500,
  });
});

// bytes of the object | revision of what it replaces | why it is refused
test.each([
  [1_500_000, undefined, undefined],
  [1_500_000, 7, undefined],
  [1_572_800, undefined, 'etcdserver: request is too large'],
  [2_097_100, undefined, /message larger than max/],
  [2_097_060, undefined, 'etcdserver: request is too large'],
  // A replacement carries its key once more.
  [2_097_060, 70_000, /message larger than max/],
])('an object of %d bytes, replacing %s: %s', (bytes, revision, why) => {
  const refusal = runToCompletion(noRoom(ofSize(bytes), '/registry/configmaps/default/a', revision));
  if (why === undefined) expect(refusal).toBeUndefined();
  else expect(refusal?.message).toMatch(why);
});

test('who owns which field is forgotten where the object fits only without that', async () => {
  const { ask } = await aServer();
  const keys = Array.from({ length: 4_000 }, (_, index) => [`key-${index}-${'x'.repeat(150)}`, 'v']);
  const large = named('ConfigMap', 'large', { data: { ...Object.fromEntries(keys), y: 'y'.repeat(290_000) } });
  const made = await ask('POST', configMaps, JSON.stringify(large));
  expect({ status: made.status, owners: made.body.metadata.managedFields }).toEqual({ status: 201, owners: undefined });
  const small = await ask('POST', configMaps, named('ConfigMap', 'small', { data: { a: 'b' } }));
  expect(small.body.metadata.managedFields).toHaveLength(1);
});
