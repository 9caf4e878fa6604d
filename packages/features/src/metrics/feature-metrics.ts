import { declaredMetricText, type Labels, type Sample } from '@slipway/feature-gates/metrics';
import { findCondition } from '@slipway/kube';
import type { Feature, FeatureState } from '../api/feature.js';
import { isOfSystem } from '../api/group.js';
import { isUnseen } from '../leadership/server-liveness.js';

const states: readonly FeatureState[] = ['Unknown', 'Off', 'TurningOn', 'On', 'TurningOff'];
const values = ['on', 'off', 'unregistered', 'silent', 'waived'] as const;

/** Features of a namespace that have series of their own: whoever may write there makes their names. */
const maxFeatures = 500;

/** Objects that are too many to be counted: how many, by kind and namespace. */
export type OverLimit = Readonly<Record<'FeatureUse' | 'FeatureVector', ReadonlyMap<string, number>>>;

const nothing: OverLimit = { FeatureUse: new Map(), FeatureVector: new Map() };

/**
 * Formats the features of a cluster as Prometheus text, from the current objects. Agreement and leftovers are only
 * reported for features that were declared or decided: there are hundreds of others.
 */
export function featureMetrics(all: readonly Feature[], servers: number, overLimit: OverLimit = nothing): string {
  const { features, omitted } = withinLimit(all);
  const managed = features.filter(isManaged);
  return [
    serverMetrics(servers),
    family('unseen', 'Whether no feature server has taken up the newest spec.', features.flatMap(unseenOf)),
    family('state', 'Whether a feature is in a state: 1 for the one it is in.', features.flatMap(stateOf)),
    family('uses', 'Processes by what they run.', managed.flatMap(usesOf)),
    family(
      'dangling_references',
      'Objects that still use a feature which is off, those apart that a waiver allows.',
      managed.flatMap(danglingOf),
    ),
    family(
      'over_limit',
      'Objects of a namespace that are too many to be counted, or of Features to have series, by kind.',
      Object.entries({ ...overLimit, Feature: omitted }).flatMap(([kind, namespaces]) =>
        [...namespaces].map(([namespace, value]) => ({ labels: { namespace, kind }, value })),
      ),
    ),
    family('blocked', 'Whether a feature waits for a person, by reason.', features.flatMap(blockedOf)),
  ].join('');
}

/**
 * Formats the number of live feature servers. While there are none, `slipway_feature_*` of other processes report the
 * past.
 */
export function serverMetrics(servers: number): string {
  return family('servers', 'Feature servers that live. While there is none, nothing changes.', [
    { labels: {}, value: servers },
  ]);
}

/** The features that have series: of a namespace of tenants the oldest ones. */
function withinLimit(all: readonly Feature[]) {
  const namespaces = new Map<string, Feature[]>();
  for (const feature of all) {
    const { namespace = '' } = feature.metadata;
    const own = namespaces.get(namespace);
    if (own) own.push(feature);
    else namespaces.set(namespace, [feature]);
  }
  const omitted = new Map<string, number>();
  const features = [...namespaces].flatMap(([namespace, own]) => {
    if (own.length <= maxFeatures || isOfSystem(namespace)) return own;
    omitted.set(namespace, own.length - maxFeatures);
    return own.sort((a, b) => (ageOf(a) < ageOf(b) ? -1 : 1)).slice(0, maxFeatures);
  });
  return { features, omitted };
}

/** A text that sorts as the age does. */
function ageOf({ metadata: { creationTimestamp = '', name = '' } }: Feature): string {
  return `${creationTimestamp} ${name}`;
}

function isManaged({ spec, status }: Feature): boolean {
  const isDecided = spec.desired !== undefined && spec.desired !== 'Unmanaged';
  return isDecided || findCondition(status?.conditions ?? [], 'Known')?.reason === 'Declared';
}

function stateOf(feature: Feature): readonly Sample[] {
  const now = feature.status?.state ?? 'Unknown';
  const told = isManaged(feature) ? states : [now];
  return told.map((state) => ({ labels: { ...nameOf(feature), state }, value: state === now ? 1 : 0 }));
}

function unseenOf(feature: Feature): readonly Sample[] {
  return isUnseen(feature) ? [{ labels: nameOf(feature), value: 1 }] : [];
}

function usesOf(feature: Feature): readonly Sample[] {
  return (feature.status?.uses?.components ?? []).flatMap((component) =>
    values.map((value) => ({
      labels: { ...nameOf(feature), component: component.name, value },
      value: component[value],
    })),
  );
}

function danglingOf(feature: Feature): readonly Sample[] {
  const { dangling } = feature.status ?? {};
  return dangling ? [{ labels: nameOf(feature), value: dangling.count - (dangling.waived ?? 0) }] : [];
}

function blockedOf(feature: Feature): readonly Sample[] {
  const blocked = findCondition(feature.status?.conditions ?? [], 'Blocked');
  return blocked?.status === 'True' ? [{ labels: { ...nameOf(feature), reason: blocked.reason }, value: 1 }] : [];
}

function nameOf({ metadata, spec }: Feature): Labels {
  return { namespace: metadata.namespace ?? '', feature: spec.gate };
}

function family(name: string, help: string, samples: readonly Sample[]): string {
  return declaredMetricText(`slipway_feature_${name}`, 'gauge', help, samples);
}
