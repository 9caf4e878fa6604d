import { textColumn, wideColumn } from '@slipway/api-server/registry/columns';
import { type Declaration, defineResource } from '@slipway/api-server/registry/define-resource';
import type { Column } from '@slipway/api-server/registry/resource-definition';
import type { KubeObject } from '@slipway/kube';
import { timeSince } from '@slipway/kube-objects/rules/human-duration';
import { validateChangedEvent, validateEvent, validateNewEvent } from './event-validation.js';
import { asCoreEvent, asEventsEvent } from './event-versions.js';

const hourMs = 3_600_000;

/** What the columns say, whichever version the row is in. */
const column = (
  name: string,
  description: string,
  priority: 0 | 1,
  text: (event: KubeObject, nowMs: number) => string | number,
): Column => {
  const make = priority === 0 ? textColumn : wideColumn;
  return make(name, description, (event, nowMs) => text(asCoreEvent(event), nowMs));
};

const common = {
  kind: 'Event',
  plural: 'events',
  shortNames: ['ev'],
  namespaced: true,
  createdByPut: true,
  storedAs: 'events',
  nameRules: 'none',
  timeToLiveMs: hourMs,
  namelessRows: true,
  columns: [
    column('Last Seen', 'When it happened last.', 0, lastSeen),
    column('Type', 'Normal or Warning.', 0, ({ type }) => type ?? ''),
    column('Reason', 'What happened, in one word.', 0, ({ reason }) => reason ?? ''),
    column('Object', 'What it happened to.', 0, ({ involvedObject: { kind = '', name } }) =>
      name ? `${kind.toLowerCase()}/${name}` : kind.toLowerCase(),
    ),
    column(
      'Subobject',
      'The part of the object it happened to.',
      1,
      ({ involvedObject }) => involvedObject.fieldPath ?? '',
    ),
    column('Source', 'Who says so.', 1, sourceText),
    column('Message', 'What happened, in a sentence.', 0, ({ message = '' }) => message.trim()),
    column('First Seen', 'When it happened first.', 1, firstSeen),
    column('Count', 'How often it happened.', 1, ({ series, count }) => series?.count ?? (count || 1)),
    { ...column('Name', 'Name of the event.', 1, ({ metadata }) => metadata.name ?? ''), format: 'name' },
  ],
} satisfies Partial<Declaration>;

const objectFields = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];

function selectable(prefix: string, component: string): NonNullable<Declaration['selectableFields']> {
  const about = objectFields.map((field) => [
    `${prefix}.${field}`,
    (event: KubeObject) => String(asCoreEvent(event).involvedObject[field] ?? ''),
  ]);
  return {
    ...Object.fromEntries(about),
    reason: ({ reason }) => reason ?? '',
    type: ({ type }) => type ?? '',
    [component]: (event) => asCoreEvent(event).reportingComponent ?? '',
    source: (event) => asCoreEvent(event).source?.component || asCoreEvent(event).reportingComponent || '',
  };
}

export const events = defineResource({
  ...common,
  group: '',
  version: 'v1',
  message: 'core.v1.Event',
  selectableFields: selectable('involvedObject', 'reportingComponent'),
  validate: (event) => validateEvent(event, 'reportingComponent'),
});

/** The same events in the newer version. */
export const eventsV1 = defineResource({
  ...common,
  group: 'events.k8s.io',
  version: 'v1',
  message: 'events.v1.Event',
  selectableFields: selectable('regarding', 'reportingController'),
  // Complaints name the kind as it is stored.
  errorGroup: '',
  validate: (event) => validateEvent(asCoreEvent(event), 'reportingController'),
  validateCreate: (event) => validateNewEvent(asCoreEvent(event)),
  validateUpdate: (event, old) => validateChangedEvent(asCoreEvent(event), asCoreEvent(old)),
  view: { fromStored: asEventsEvent, toStored: asCoreEvent },
});

function firstSeen({ firstTimestamp, eventTime }: KubeObject, nowMs: number): string {
  return timeSince(firstTimestamp || eventTime, nowMs);
}

function lastSeen(event: KubeObject, nowMs: number): string {
  const last = event.series?.lastObservedTime ?? event.lastTimestamp;
  return last ? timeSince(last, nowMs) : firstSeen(event, nowMs);
}

function sourceText({ source, reportingComponent = '', reportingInstance = '' }: KubeObject): string {
  const who = source?.component || reportingComponent;
  const where = source?.host || reportingInstance;
  return where ? `${who}, ${where}` : who;
}
