import type { Feature } from '../api/feature.js';
import type { FeatureDefinitionSpec } from '../api/feature-definition.js';
import type { GateValue } from '../api/feature-vector.js';
import type { ServerLiveness } from '../leadership/server-liveness.js';
import type { ApiVersions } from '../releases/api-versions.js';
import type { GateCatalogue } from '../releases/gate-catalogue.js';

/** Everything that an upgrade check looks at. Versions are minor versions: `1.34`. */
export interface UpgradeView {
  readonly from: string;
  readonly to: string;
  readonly catalogue: GateCatalogue;
  /** Those of the namespace that Kubernetes' own gates live in. */
  readonly features: readonly Feature[];
  /** By gate. */
  readonly definitions: ReadonlyMap<string, FeatureDefinitionSpec>;
  /** Components of Kubernetes only. */
  readonly groups: readonly ProcessGroup[];
  readonly apiVersions: ApiVersions;
  /** Whether feature servers keep `features` up to date. */
  readonly servers: ServerLiveness;
  /** What is stored of kinds that versions come and go of, and of those that a definition has tasks for on this way. */
  readonly stored: readonly StoredKind[];
}

/** Objects of one kind, as the API serves them now. */
export interface StoredKind {
  readonly group: string;
  readonly kind: string;
  readonly resource: string;
  /** Every version that is served, the preferred one first. */
  readonly versions: readonly string[];
  /** The version that writes are stored in now; missing when the API server does not say. */
  readonly storedAs?: string;
  /** How many there are; missing when they may not be listed. */
  readonly objects?: number;
}

/** One process that reports. */
export interface RunningProcess {
  readonly name: string;
  readonly component: string;
  readonly version: string;
  readonly emulationVersion?: string;
  readonly minCompatibility?: string;
  readonly vector: string;
  /** Missing when the vector that the report names is not there. */
  readonly gates?: ReadonlyMap<string, GateValue>;
}

/** Processes of a component that run the same version with the same values: whatever holds for one holds for all. */
export interface ProcessGroup extends Omit<RunningProcess, 'name' | 'vector'> {
  readonly processes: readonly string[];
}

/** Whose version is that of the cluster: these go along when Kubernetes is upgraded. */
export const kubernetesComponents: readonly string[] = [
  'kube-apiserver',
  'kube-controller-manager',
  'cloud-controller-manager',
  'kube-scheduler',
  'kubelet',
  'kube-proxy',
];

/** Those that every cluster has, whether or not they report. */
export const indispensableComponents: readonly string[] = [
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubelet',
];

/** Whether a component has the version of the cluster. */
export function isOfKubernetes(component: string): boolean {
  return kubernetesComponents.includes(component);
}

/** Brings processes together that no check can tell apart. */
export function groupProcesses(processes: readonly RunningProcess[]): readonly ProcessGroup[] {
  const groups = new Map<string, ProcessGroup & { readonly processes: string[] }>();
  for (const { name, vector, ...same } of processes) {
    const { component, version, emulationVersion, minCompatibility } = same;
    const key = [component, version, emulationVersion, minCompatibility, vector].join(' ');
    const group = groups.get(key) ?? { ...same, processes: [] };
    group.processes.push(name);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** `kubelet on a, b, c and 4,997 more`. */
export function nameGroup({ component, processes }: ProcessGroup): string {
  const more = processes.length - 3;
  const named = processes.slice(0, 3).join(', ');
  return `${component} (${named}${more > 0 ? ` and ${more} more` : ''})`;
}
