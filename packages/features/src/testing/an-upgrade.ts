import type { Feature, FeatureStatus } from '../api/feature.js';
import type { DefinedTasks, FeatureDefinitionSpec } from '../api/feature-definition.js';
import type { GateValue } from '../api/feature-vector.js';
import type { ApiVersions } from '../releases/api-versions.js';
import type { GateCatalogue, ReleasedGate } from '../releases/gate-catalogue.js';
import { indispensableComponents, type ProcessGroup, type UpgradeView } from '../upgrade/upgrade-view.js';

/** Gates of a world in which 1.37 is being made. */
const gates: Readonly<Record<string, ReleasedGate>> = {
  Steady: { stages: [{ version: '1.30', stage: 'Beta', default: true }] },
  Rising: {
    stages: [
      { version: '1.32', stage: 'Alpha', default: false },
      { version: '1.35', stage: 'Beta', default: true },
    ],
    dependsOn: ['Steady'],
  },
  OneWay: {
    stages: [
      { version: '1.32', stage: 'Alpha', default: false },
      { version: '1.35', stage: 'Beta', default: true },
    ],
    disable: 'Unsupported',
  },
  Locking: {
    stages: [
      { version: '1.32', stage: 'Beta', default: true },
      { version: '1.35', stage: 'GA', default: true, locked: true },
    ],
  },
  Held: {
    stages: [
      { version: '1.34', stage: 'Beta', default: false },
      { version: '1.35', stage: 'Beta', default: true, minCompatibility: '1.35' },
    ],
  },
  Fresh: { stages: [{ version: '1.35', stage: 'Beta', default: true }] },
  Dreamt: { stages: [{ version: '1.35', stage: 'Alpha', default: false }] },
  Proven: { stages: [{ version: '1.30', stage: 'GA', default: true }], lastIn: '1.34' },
  Seen: { stages: [{ version: '1.30', stage: 'GA', default: true }], lastSeenIn: '1.34' },
};

export const aCatalogue: GateCatalogue = {
  newest: '1.37',
  takenOn: '2026-07-24',
  gates: new Map(Object.entries(gates)),
};

/** Kinds of a world in which 1.37 is being made. */
export const someApiVersions: ApiVersions = {
  versions: [
    { group: 'toys.k8s.io', version: 'v1alpha1', kind: 'Kite', firstIn: '1.34', lastIn: '1.34' },
    { group: 'toys.k8s.io', version: 'v1beta1', kind: 'Kite', firstIn: '1.35' },
    { group: 'toys.k8s.io', version: 'v1beta1', kind: 'Top', lastIn: '1.35' },
    { group: 'toys.k8s.io', version: 'v1beta1', kind: 'Hoop', removedIn: '1.35' },
  ],
};

/** Processes of v1.34: `aGroup('kubelet', 'Rising=false! Steady=true')`, where `!` marks what a person set. */
export function aGroup(component: string, values: string, overrides: Partial<ProcessGroup> = {}): ProcessGroup {
  const all = values.split(' ').filter(Boolean).map(gateValue);
  return {
    component,
    version: 'v1.34.2',
    processes: ['one'],
    gates: new Map(all.map((gate) => [gate.name, gate])),
    ...overrides,
  };
}

function gateValue(text: string): GateValue {
  const [name = '', value = ''] = text.split('=');
  return { name, enabled: value.startsWith('true'), set: value.endsWith('!') };
}

/** A Feature of a gate with this status, undecided unless `desired` is set. */
export function aReportedFeature(
  gate: string,
  status: FeatureStatus,
  desired: Feature['spec']['desired'] = 'Unmanaged',
): Feature {
  const metadata = { name: gate.toLowerCase(), namespace: 'kube-system' };
  return { apiVersion: 'features.slipway.dev/v1alpha1', kind: 'Feature', metadata, spec: { gate, desired }, status };
}

/** Declares one field as a use of a gate. */
export function aDeclaredGate(gate: string, tasks: DefinedTasks = {}): readonly [string, FeatureDefinitionSpec] {
  const references = [{ group: 'apps', resource: 'statefulsets', path: 'spec.new' }];
  return [gate, { gate, components: [], references, tasks }];
}

/**
 * From 1.34 to 1.35 with nothing set, unless said otherwise. Components that every cluster has and that `groups`
 * does not name run the target version with no gate; an empty list stays empty.
 */
export function anUpgrade(overrides: Partial<UpgradeView> = {}): UpgradeView {
  const named = overrides.groups ?? [aGroup('kube-apiserver', 'Steady=true')];
  const version = `v${overrides.to ?? '1.35'}.0`;
  const others = indispensableComponents.filter((name) => !named.some(({ component }) => component === name));
  return {
    from: '1.34',
    to: '1.35',
    catalogue: aCatalogue,
    features: [],
    definitions: new Map(),
    apiVersions: someApiVersions,
    stored: [],
    servers: { kind: 'alive' },
    ...overrides,
    groups: named.length === 0 ? [] : [...named, ...others.map((component) => aGroup(component, '', { version }))],
  };
}
