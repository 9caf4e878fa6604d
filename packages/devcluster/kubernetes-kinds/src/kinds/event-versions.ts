import type { KubeObject } from '@slipway/kube';

/** Fields that have other names in events.k8s.io/v1: name in core/v1 -> name there. */
const renamed: Readonly<Record<string, string>> = {
  involvedObject: 'regarding',
  message: 'note',
  source: 'deprecatedSource',
  firstTimestamp: 'deprecatedFirstTimestamp',
  lastTimestamp: 'deprecatedLastTimestamp',
  count: 'deprecatedCount',
  reportingComponent: 'reportingController',
};

const corev1 = 'v1';
const eventsv1 = 'events.k8s.io/v1';

/** An event of either version as one of core/v1, which is how events are stored. */
export function asCoreEvent(event: KubeObject): KubeObject {
  if (event.apiVersion !== eventsv1) return event;
  const names = new Map(Object.entries(renamed).map(([core, other]) => [other, core]));
  return {
    // What core/v1 always has, whether it says anything or not.
    involvedObject: {},
    source: {},
    firstTimestamp: null,
    lastTimestamp: null,
    reportingComponent: '',
    reportingInstance: '',
    ...rename(event, names),
    apiVersion: corev1,
  };
}

/** An event of core/v1 as one of events.k8s.io/v1. */
export function asEventsEvent(event: KubeObject): KubeObject {
  if (event.apiVersion === eventsv1) return event;
  const { reportingController, reportingInstance, ...rest } = rename(event, new Map(Object.entries(renamed)));
  return {
    ...rest,
    // What core/v1 always has, and events.k8s.io/v1 only when it says something.
    ...(reportingController && { reportingController }),
    ...(reportingInstance && { reportingInstance }),
    apiVersion: eventsv1,
  } as KubeObject;
}

function rename(event: KubeObject, names: ReadonlyMap<string, string>): KubeObject {
  const fields = Object.entries(event).map(([field, value]) => [names.get(field) ?? field, value]);
  return Object.fromEntries(fields) as KubeObject;
}
