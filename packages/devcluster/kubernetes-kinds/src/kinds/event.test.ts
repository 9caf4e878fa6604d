import { expect, test } from 'vitest';
import { events, eventsV1 } from './event.js';
import { asCoreEvent, asEventsEvent } from './event-versions.js';
import { created, createErrors, row, updateErrors } from './testing/write.js';

const metadata = { name: 'p.1', namespace: 'a' };
const old = {
  metadata,
  involvedObject: { kind: 'Pod', namespace: 'a', name: 'p', uid: 'u', fieldPath: 'spec.containers{app}' },
  reason: 'Pulled',
  message: 'pulled it \n',
  type: 'Normal',
  source: { component: 'kubelet', host: 'node-1' },
  firstTimestamp: '2026-11-20T11:00:00Z',
  lastTimestamp: '2026-11-20T11:55:00Z',
  count: 4,
};
const recent = {
  metadata,
  regarding: old.involvedObject,
  reason: 'Pulled',
  note: 'pulled it',
  type: 'Normal',
  action: 'Pulling',
  eventTime: '2026-11-20T11:59:00.000000Z',
  reportingController: 'kubelet',
  reportingInstance: 'node-1',
};

test('Event shows what kubectl get -o wide does, in both versions', () => {
  const cells = {
    'LAST SEEN': '5m',
    TYPE: 'Normal',
    REASON: 'Pulled',
    OBJECT: 'pod/p',
    SUBOBJECT: 'spec.containers{app}',
    SOURCE: 'kubelet, node-1',
    MESSAGE: 'pulled it',
    'FIRST SEEN': '60m',
    COUNT: 4,
    NAME: 'p.1',
  };
  const stored = created(events, old);
  expect(row(events, stored)).toEqual(cells);
  expect(row(eventsV1, asEventsEvent(stored))).toEqual(cells);
});

test('Event with a time of its own shows it', () => {
  const series = { count: 9, lastObservedTime: '2026-11-20T11:59:30.000000Z' };
  expect(row(eventsV1, created(eventsV1, recent))).toMatchObject({ 'LAST SEEN': '60s', 'FIRST SEEN': '60s', COUNT: 1 });
  expect(row(eventsV1, created(eventsV1, { ...recent, series }))).toMatchObject({ 'LAST SEEN': '30s', COUNT: 9 });
});

test('asCoreEvent() and asEventsEvent() are two views of one event', () => {
  const stored = asCoreEvent(created(eventsV1, recent));
  expect(stored).toMatchObject({
    apiVersion: 'v1',
    involvedObject: recent.regarding,
    message: 'pulled it',
    reportingComponent: 'kubelet',
  });
  expect(stored).not.toHaveProperty('note');
  expect(asCoreEvent(asEventsEvent(stored))).toEqual(stored);
  expect(asEventsEvent(stored)).toMatchObject({ apiVersion: 'events.k8s.io/v1', ...recent });
});

test('asEventsEvent() leaves out who reported when nobody says so', () => {
  const stored = { ...created(events, old), reportingComponent: '', reportingInstance: '' };
  expect(asEventsEvent(stored)).not.toHaveProperty('reportingController');
  expect(asEventsEvent(stored)).not.toHaveProperty('reportingInstance');
});

test('Event is selected by what it is about, in both versions', () => {
  const stored = created(events, old);
  expect(events.selectableFields['involvedObject.name']?.(stored)).toBe('p');
  expect(events.selectableFields.source?.(stored)).toBe('kubelet');
  expect(eventsV1.selectableFields['regarding.uid']?.(asEventsEvent(stored))).toBe('u');
});

test.each([
  [old, []],
  [
    { ...old, metadata: { name: 'e', namespace: 'b' } },
    ['involvedObject.namespace: Invalid value: "a": does not match event.namespace'],
  ],
  [{ metadata: { name: 'e', namespace: 'default' }, involvedObject: { kind: 'Node', name: 'n' } }, []],
  [
    { metadata, involvedObject: { kind: 'Node', name: 'n' } },
    ['involvedObject.namespace: Invalid value: "": does not match event.namespace'],
  ],
])('Event: %j', (event, errors) => {
  expect(createErrors(events, event)).toEqual(errors);
});

const newer: [object, string[]][] = [
  [recent, []],
  [{ ...recent, action: '' }, ['action: Required value']],
  [
    { ...recent, reportingController: '' },
    [
      required('reportingController'),
      'reportingController: Invalid value: "": name part must be non-empty',
      expect.stringContaining('name part must consist of'),
    ],
  ],
  [{ ...recent, type: 'Odd' }, ['type: Invalid value: "": has invalid value: Odd']],
  [{ ...recent, regarding: {} }, ['involvedObject.namespace: Invalid value: "": does not match event.namespace']],
  [{ ...recent, note: 'n'.repeat(1025) }, ['message: Invalid value: "": can have at most 1024 characters']],
  [
    { ...recent, deprecatedCount: 1, deprecatedSource: { host: 'h' } },
    ['count', 'source'].map((field) => `${field}: Invalid value: "": needs to be unset`),
  ],
  [{ ...recent, eventTime: null }, [required('eventTime')]],
];
test.each(newer)('Event of events.k8s.io: %j', (event, errors) => {
  expect(createErrors(eventsV1, event)).toEqual(errors);
});

test('Event of events.k8s.io only changes in its series', () => {
  const series = { count: 2, lastObservedTime: '2026-11-20T11:59:30.000000Z' };
  expect(updateErrors(eventsV1, recent, { ...recent, series })).toEqual([]);
  expect(updateErrors(eventsV1, recent, { ...recent, note: 'other' })).toEqual([
    'message: Invalid value: "other": field is immutable',
  ]);
});

function required(field: string): string {
  return `${field}: Required value`;
}
