import { queriedGates } from '@slipway/feature-gates';
import { type Condition, findCondition, type Kube, type KubeObject } from '@slipway/kube';
import type { FeatureDefinitionSpec } from '../api/feature-definition.js';
import { FeatureUse } from '../api/feature-use.js';
import { FeatureVector } from '../api/feature-vector.js';
import { Node } from '../references/core-resources.js';

/** What one process says of one gate. */
export interface ProcessUse {
  readonly process: string;
  readonly component: string;
  readonly instance: string;
  readonly node?: string;
  readonly version: string;
  /** `silent`: it should report, and does not. */
  readonly value: 'on' | 'off' | 'mixed' | 'unregistered' | 'silent';
  /** Whether it was set by the process's own flags. */
  readonly set: boolean;
  /** Whether its code has asked for the value. */
  readonly read: boolean;
  readonly source: string;
  readonly renewTime?: string;
}

/** Every process of a namespace that reports, with its value of a gate; those that do not know the gate come last. */
export async function listUses(
  kube: Kube,
  namespace: string,
  gate: string,
  signal?: AbortSignal,
): Promise<readonly ProcessUse[]> {
  const vectors = new Map<string, FeatureVector>();
  for await (const page of kube.resource(FeatureVector).pages({ namespace, signal })) {
    for (const vector of page.items) vectors.set(vector.metadata.name ?? '', vector);
  }
  const uses: ProcessUse[] = [];
  for await (const page of kube.resource(FeatureUse).pages({ namespace, signal })) {
    for (const use of page.items) uses.push(processUse(use, vectors.get(use.spec.vector), gate));
  }
  const order = (use: ProcessUse) => `${use.value === 'unregistered' ? 1 : 0} ${use.component} ${use.instance}`;
  return uses.sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

type NodeObject = KubeObject & {
  readonly status?: { readonly conditions?: readonly Condition[]; readonly declaredFeatures?: readonly string[] };
};

/**
 * Groups uses by node, and adds for every component that should be on every node the nodes that never reported. The
 * last report of an unreachable node does not count: the node is silent. A kubelet without a report that declares the gate
 * in the status of its node has it on.
 */
export async function usesByNode(
  kube: Kube,
  uses: readonly ProcessUse[],
  { gate, components }: Pick<FeatureDefinitionSpec, 'gate' | 'components'>,
  signal?: AbortSignal,
): Promise<readonly ProcessUse[]> {
  const onNodes = uses.filter(({ node }) => node !== undefined);
  const heard = new Set(onNodes.map(({ component, node }) => `${component} ${node}`));
  const everywhere = components.filter(({ roster }) => roster === 'Nodes').map(({ name }) => name);
  const silent: ProcessUse[] = [];
  const away = new Set<string>();
  for await (const page of kube.resource(Node).pages({ signal })) {
    for (const { metadata, status } of page.items as readonly NodeObject[]) {
      const node = metadata.name ?? '';
      if (findCondition(status?.conditions, 'Ready')?.status === 'Unknown') away.add(node);
      for (const component of everywhere) {
        if (heard.has(`${component} ${node}`)) continue;
        const declares = component === 'kubelet' && !away.has(node) && status?.declaredFeatures?.includes(gate);
        silent.push({ ...silentUse(component, node), ...(declares && { value: 'on', source: 'Declared' }) });
      }
    }
  }
  const order = ({ node, component }: ProcessUse) => `${node} ${component}`;
  const heardOf = onNodes.map((use) => (away.has(use.node ?? '') ? { ...use, value: 'silent' as const } : use));
  return [...heardOf, ...silent].sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

function silentUse(component: string, node: string): ProcessUse {
  const nothing = { version: '', set: false, read: false, source: '' };
  return { process: node, component, instance: node, node, value: 'silent', ...nothing };
}

function processUse({ metadata, spec }: FeatureUse, vector: FeatureVector | undefined, gate: string): ProcessUse {
  const gates = vector?.spec.gates ?? [];
  const value = gates.find(({ name }) => name === gate);
  const names = gates.map(({ name }) => name);
  return {
    process: metadata.name ?? '',
    component: spec.component,
    instance: spec.instance,
    ...(spec.node !== undefined && { node: spec.node }),
    version: spec.binaryVersion,
    value: value ? (value.mixed ? 'mixed' : value.enabled ? 'on' : 'off') : 'unregistered',
    set: value?.set ?? false,
    read: queriedGates(names, spec.queried).includes(gate),
    source: spec.source,
    ...(spec.renewTime !== undefined && { renewTime: spec.renewTime }),
  };
}
