import { hasReason, type Kube, type KubeObject, type Lister, ownerReference, type Reconciler } from '@slipway/kube';
import { BalloonPolicy, type BalloonPolicyStatus } from '../api/balloon-policy.js';
import { keys } from '../api/group.js';
import { NodeSize } from '../api/node-size.js';
import { Node, type NodeView, readNode } from '../nodes/node-view.js';
import { parseAmounts, sameAmounts } from '../planner/amounts.js';
import { balloonDaemonSet, DaemonSet, daemonSetName } from '../pods/balloon-daemon-set.js';
import {
  type EffectiveMode,
  effectiveMode,
  nativeClass,
  PriorityClass,
  politeClass,
  priorityClassOf,
} from '../priority/priority-modes.js';
import { choosePolicy, isEnabled, selects } from './choose-policy.js';
import { type PolicySettings, readPolicy } from './policy-settings.js';

export interface PolicyReconcilerDeps {
  readonly kube: Kube;
  readonly policies: Lister<BalloonPolicy>;
  readonly nodes: Lister;
  readonly sizes: Lister<NodeSize>;
  readonly namespace: string;
  /** Told which mode a policy came to. */
  readonly decided: (policy: string, mode: EffectiveMode) => void;
}

/** Who applies what belongs to a policy. */
const fieldManager = 'slipway-balloons';
/** Nodes are looked at again this often while they are given back. */
const restoreAgainMs = 1_000;

/** Gives the nodes of a policy their balloons: a DaemonSet, a label per node and a NodeSize per node. */
export function policyReconciler(deps: PolicyReconcilerDeps): Reconciler {
  return async ({ name }, { signal }) => {
    const policy = deps.policies.get({ name });
    const round = new Round(deps, name, signal);
    if (!policy) return round.removeLeftovers();
    return isEnabled(policy) ? round.provide(policy) : round.withdraw(policy);
  };
}

class Round {
  readonly #deps: PolicyReconcilerDeps;
  readonly #name: string;
  readonly #signal: AbortSignal;

  constructor(deps: PolicyReconcilerDeps, name: string, signal: AbortSignal) {
    this.#deps = deps;
    this.#name = name;
    this.#signal = signal;
  }

  async provide(policy: BalloonPolicy): Promise<{ requeueAfterMs?: number }> {
    const { namespace } = this.#deps;
    const settings = readPolicy(policy);
    const mode = await this.#mode(policy);
    if (mode === 'Polite') await this.#apply(PriorityClass, politeClass);
    await this.#apply(DaemonSet, balloonDaemonSet(settings, namespace, priorityClassOf(mode)));
    const all = this.#deps.policies.list();
    const nodes = this.#nodes().map(readNode);
    for (const node of nodes) {
      const chosen = choosePolicy(node, all)?.metadata.name;
      if (chosen === this.#name) await this.#manage(node, policy);
      else if (node.labels[keys.managed] === this.#name && chosen === undefined) await this.#release(node.name);
    }
    const conflicts = nodes
      .filter((node) => selects(policy, node))
      .map((node) => ({ node: node.name, policy: choosePolicy(node, all)?.metadata.name ?? '' }))
      .filter((entry) => entry.policy !== this.#name);
    const managed = nodes.filter((node) => node.labels[keys.managed] === this.#name);
    const atSize = managed.filter(({ name }) => isAtSize(this.#deps.sizes.get({ name }))).length;
    await this.#tell(policy, {
      observedGeneration: policy.metadata.generation ?? 0,
      priorityMode: mode,
      nodes: managed.length,
      atSize,
      ...(conflicts.length > 0 && { conflicts: conflicts.slice(0, 10) }),
    });
    return {};
  }

  /** Nodes first have back what they had, then lose their balloons. */
  async withdraw(policy: BalloonPolicy): Promise<{ requeueAfterMs?: number }> {
    const settings = readPolicy(policy);
    let left = 0;
    for (const node of this.#nodes().map(readNode)) {
      if (node.labels[keys.managed] !== this.#name) continue;
      const size = this.#deps.sizes.get({ name: node.name });
      const isRestored = policy.spec.onDisable === 'Leave' || !size || isFull(size, settings);
      if (isRestored) await this.#release(node.name);
      else left++;
    }
    if (left > 0) return { requeueAfterMs: restoreAgainMs };
    await this.removeLeftovers();
    await this.#tell(policy, { observedGeneration: policy.metadata.generation ?? 0, nodes: 0, atSize: 0 });
    return {};
  }

  /** A policy that is gone leaves nothing behind. */
  async removeLeftovers(): Promise<{ requeueAfterMs?: number }> {
    const { kube, namespace } = this.#deps;
    for (const node of this.#nodes()) {
      if (node.metadata.labels?.[keys.managed] === this.#name) await this.#release(node.metadata.name ?? '');
    }
    await kube.resource(DaemonSet).delete({ namespace, name: daemonSetName(this.#name) }, { signal: this.#signal });
    return {};
  }

  async #mode(policy: BalloonPolicy): Promise<EffectiveMode> {
    const wanted = policy.spec.priorityMode ?? 'Auto';
    const native = await this.#deps.kube.resource(PriorityClass).find({ name: nativeClass }, this.#signal);
    const mode = effectiveMode(wanted, native !== undefined);
    this.#deps.decided(this.#name, mode);
    return mode;
  }

  async #manage(node: NodeView, policy: BalloonPolicy): Promise<void> {
    const { kube } = this.#deps;
    if (!this.#deps.sizes.get({ name: node.name })) await this.#createSize(node, policy);
    if (node.labels[keys.managed] === this.#name) return;
    await kube
      .resource(Node)
      .merge({ name: node.name }, { metadata: { labels: { [keys.managed]: this.#name } } }, { signal: this.#signal });
  }

  async #createSize(node: NodeView, policy: BalloonPolicy): Promise<void> {
    const owner: KubeObject = { apiVersion: 'v1', kind: 'Node', metadata: { name: node.name, uid: node.uid } };
    const isOwned = policy.spec.nodeSizeRetention !== 'Keep';
    const size: NodeSize = {
      apiVersion: `${NodeSize.group}/${NodeSize.version}`,
      kind: NodeSize.kind,
      metadata: {
        name: node.name,
        ...(isOwned && { ownerReferences: [ownerReference(owner, { controller: false })] }),
      },
      spec: policy.spec.default ?? { mode: 'Full' },
    };
    try {
      await this.#deps.kube.resource(NodeSize).create(size, { signal: this.#signal });
    } catch (error) {
      if (!hasReason(error, 'AlreadyExists')) throw error;
    }
  }

  async #release(node: string): Promise<void> {
    const patch = { metadata: { labels: { [keys.managed]: null } } };
    await this.#deps.kube.resource(Node).merge({ name: node }, patch, { signal: this.#signal });
  }

  async #apply(resource: typeof DaemonSet, object: KubeObject): Promise<void> {
    const { name = '', namespace } = object.metadata;
    const wanted = { ...object, metadata: { ...object.metadata, name, namespace } };
    await this.#deps.kube.resource(resource).apply(wanted, { fieldManager, force: true, signal: this.#signal });
  }

  async #tell(policy: BalloonPolicy, status: BalloonPolicyStatus): Promise<void> {
    if (JSON.stringify(policy.status ?? {}) === JSON.stringify(status)) return;
    await this.#deps.kube.resource(BalloonPolicy).replaceStatus({ ...policy, status }, { signal: this.#signal });
  }

  #nodes(): readonly KubeObject[] {
    return this.#deps.nodes.list();
  }
}

function isAtSize(size: NodeSize | undefined): boolean {
  return (size?.status?.conditions ?? []).some(({ type, status }) => type === 'Ready' && status === 'True');
}

function isFull({ status }: NodeSize, { limits }: PolicySettings): boolean {
  return !status?.balloon || sameAmounts(parseAmounts(status.balloon.allocated), limits.minBalloon);
}
