import { expect, test } from 'vitest';
import { runToCompletion } from '../event-loop/resumable.js';
import { ManagedFieldsPool } from './managed-fields-pool.js';

const statusOf = (ip: string) => ({
  manager: 'kubelet',
  operation: 'Update',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:status': { 'f:phase': {}, 'f:conditions': { '.': {}, 'f:a': {} }, 'f:podIPs': { [ip]: {} } } },
});

test('what two objects have alike of their fields is one, though an address deep in it differs', () => {
  const pool = new ManagedFieldsPool();
  const [a] = runToCompletion(pool.shared([statusOf('k:{"ip":"10.0.0.1"}')]));
  const [b] = runToCompletion(pool.shared([statusOf('k:{"ip":"10.0.0.2"}')]));
  const [again] = runToCompletion(pool.shared([statusOf('k:{"ip":"10.0.0.1"}')]));
  const status = (entry: typeof a) => entry?.fieldsV1?.['f:status'];
  expect(again).toBe(a);
  expect(a).toEqual(statusOf('k:{"ip":"10.0.0.1"}'));
  expect(status(b)).toEqual(statusOf('k:{"ip":"10.0.0.2"}').fieldsV1['f:status']);
  expect(status(b)?.['f:conditions']).toBe(status(a)?.['f:conditions']);
});

test('what comes out is frozen all through, and taken as it is when it comes back', () => {
  const pool = new ManagedFieldsPool();
  const [entry] = runToCompletion(pool.shared([statusOf('k:{"ip":"10.0.0.1"}')]));
  expect(Object.isFrozen(entry?.fieldsV1?.['f:status']?.['f:podIPs'])).toBe(true);
  expect(runToCompletion(pool.shared(entry ? [entry] : []))[0]).toBe(entry);
});

test('an entry of many fields is frozen as well, and not kept', () => {
  const pool = new ManagedFieldsPool();
  const many = () => ({
    ...statusOf('k:{"ip":"10.0.0.1"}'),
    fieldsV1: { 'f:data': Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`f:k${at}`, {}])) },
  });
  const [entry] = runToCompletion(pool.shared([many()]));
  const [other] = runToCompletion(pool.shared([many()]));
  expect(entry).toEqual(many());
  expect(other).not.toBe(entry);
  expect(Object.isFrozen(entry?.fieldsV1?.['f:data']?.['f:k4999'])).toBe(true);
});
