import { invalidBecause, unchanged } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, invalid, required } from '@slipway/api-machinery/errors/field-error';
import { qualifiedNameProblems } from '@slipway/api-machinery/errors/names';
import { equalJson } from '@slipway/api-machinery/json/json-value';
import type { KubeObject } from '@slipway/kube';

const longest = { reportingInstance: 128, action: 128, reason: 128, message: 1024 } as const;

/**
 * Validates an event of core/v1 form as every version is validated.
 *
 * @param controllerField what the requested version calls the reporting controller
 */
export function validateEvent(event: KubeObject, controllerField: string): FieldError[] {
  const { metadata, involvedObject = {} } = event;
  const [namespace = '', about = ''] = [metadata.namespace, involvedObject.namespace];
  if (!event.eventTime) {
    const fits = about === '' ? namespace === 'default' : namespace === about;
    return fits ? [] : [wrongNamespace(about)];
  }
  const errors = about === '' && namespace !== 'default' && namespace !== 'kube-system' ? [wrongNamespace(about)] : [];
  const controller = event.reportingComponent ?? '';
  if (controller === '') errors.push(required(controllerField));
  errors.push(...invalidBecause(controllerField, controller, qualifiedNameProblems(controller)));
  for (const field of ['reportingInstance', 'action', 'reason', 'message'] as const) {
    const text: string = event[field] ?? '';
    if (text === '' && field !== 'message') errors.push(required(field));
    if (Buffer.byteLength(text) > longest[field]) {
      errors.push(invalid(field, '', `can have at most ${longest[field]} characters`));
    }
  }
  return errors;
}

/** Validates what an event that is created as one of events.k8s.io/v1 must have, and must not have any more. */
export function validateNewEvent(event: KubeObject): FieldError[] {
  const { eventTime, type = '', firstTimestamp, lastTimestamp, count, source } = event;
  const errors = eventTime ? [] : [required('eventTime')];
  if (type !== 'Normal' && type !== 'Warning') errors.push(invalid('type', '', `has invalid value: ${type}`));
  const older = { firstTimestamp, lastTimestamp, count, source: source?.component || source?.host };
  for (const [field, value] of Object.entries(older)) if (value) errors.push(invalid(field, '', 'needs to be unset'));
  return [...errors, ...validateSeries(event)];
}

function validateSeries({ series }: KubeObject): FieldError[] {
  if (!series) return [];
  return [
    ...(series.count >= 2 ? [] : [invalid('series.count', '', 'should be at least 2')]),
    ...(series.lastObservedTime ? [] : [required('series.lastObservedTime')]),
  ];
}

const fixed = [
  ...['involvedObject', 'reason', 'message', 'source', 'firstTimestamp', 'lastTimestamp', 'count', 'reason', 'type'],
  ...['eventTime', 'action', 'related'],
];

/** Validates that nothing of an event of events.k8s.io/v1 changes but its series. */
export function validateChangedEvent(event: KubeObject, old: KubeObject): FieldError[] {
  return [
    ...(equalJson(event.series, old.series) ? [] : validateSeries(event)),
    ...fixed.flatMap((field) => unchanged(field, event[field], old[field], equalJson)),
    ...unchanged('reportingController', event.reportingComponent, old.reportingComponent, equalJson),
    ...unchanged('reportingInstance', event.reportingInstance, old.reportingInstance, equalJson),
  ];
}

function wrongNamespace(about: string): FieldError {
  return invalid('involvedObject.namespace', about, 'does not match event.namespace');
}
