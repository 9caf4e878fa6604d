import {
  type Condition,
  ensureFinalizer,
  findCondition,
  hasFinalizer,
  type Kube,
  type Lister,
  type Reconciler,
  removeFinalizer,
  sameJson,
  setCondition,
} from '@slipway/kube';
import { BalloonPolicy, type BalloonPolicyStatus } from '../api/balloon-policy.js';
import { keys } from '../api/group.js';
import { NodeSize } from '../api/node-size.js';
import { choosePolicy, selects } from '../nodes/choose-policy.js';
import { releaseNode } from '../nodes/fence.js';
import { type NodeView, readNode } from '../nodes/node-view.js';
import { parseAmounts } from '../planner/amounts.js';
import { DaemonSet } from '../pods/balloon-daemon-set.js';
import { daemonSetName } from '../pods/balloon-pod.js';
import { isEnabled, type PolicySettings, readPolicy } from '../settings/policy-settings.js';
import type { BalloonWorld } from '../world/balloon-world.js';
import { manageNode } from './manage-node.js';
import { PolicyWorkload } from './policy-workload.js';

export interface PolicyReconcilerDeps {
  readonly kube: Kube;
  readonly policies: Pick<BalloonWorld, 'policy' | 'policyList'>;
  readonly nodes: Lister;
  readonly sizes: Lister<NodeSize>;
  readonly daemonSets: Lister;
  readonly namespace: string;
}

/** Interval at which nodes are checked while they are restored. */
const restoreAgainMs = 500;
/** Maximum of conflicts in the status. */
const conflictsNamed = 10;

interface Again {
  readonly requeueAfterMs?: number;
}

/** Provides and removes the balloons of a policy: a DaemonSet, and a label and a NodeSize per node. */
export function policyReconciler(deps: PolicyReconcilerDeps): Reconciler {
  const workload = new PolicyWorkload(deps);
  return async ({ name }, { signal, now }) => {
    const policy = deps.policies.policy(name);
    const round = new Round(deps, workload, name, now(), signal);
    if (!policy) return round.removeLeftovers();
    return isEnabled(policy) ? round.provide(policy) : round.withdraw(policy);
  };
}

class Round {
  readonly #deps: PolicyReconcilerDeps;
  readonly #workload: PolicyWorkload;
  readonly #name: string;
  readonly #nowMs: number;
  readonly #signal: AbortSignal;

  constructor(deps: PolicyReconcilerDeps, workload: PolicyWorkload, name: string, nowMs: number, signal: AbortSignal) {
    this.#deps = deps;
    this.#workload = workload;
    this.#name = name;
    this.#nowMs = nowMs;
    this.#signal = signal;
  }

  async provide(policy: BalloonPolicy): Promise<Again> {
    const { kube, sizes, policies } = this.#deps;
    await this.#keep(policy, ensureFinalizer, true);
    const mode = await this.#workload.provide(policy, this.#signal);
    const all = policies.policyList();
    const nodes = this.#nodes().map((node) => ({ node, managedBy: choosePolicy(node, all)?.metadata.name }));
    await inParallel(nodes, async ({ node, managedBy }) => {
      const size = sizes.get({ name: node.name });
      if (managedBy === this.#name) await manageNode({ kube, node, policy, mode, size }, this.#signal);
      else if (this.#manages(node) && managedBy === undefined) await this.#release(node);
    });
    const conflicts = nodes.flatMap(({ node, managedBy = '' }) =>
      selects(policy, node) && managedBy !== this.#name ? [{ node: node.name, policy: managedBy }] : [],
    );
    const managed = nodes.filter(({ managedBy }) => managedBy === this.#name).map(({ node }) => node.name);
    await this.#tell(policy, {
      ...this.#count(policy, managed),
      priorityMode: mode,
      ...(conflicts.length > 0 && { conflicts: conflicts.slice(0, conflictsNamed) }),
    });
    return {};
  }

  #count(policy: BalloonPolicy, nodes: readonly string[]) {
    const atSize = nodes.filter((name) => isAtSize(this.#deps.sizes.get({ name }))).length;
    const isReady = atSize === nodes.length;
    const message = `${atSize} of ${nodes.length} nodes have the size they should`;
    const conditions = this.#ready(policy, isReady, { reason: isReady ? 'AtSize' : 'Waiting', message });
    return { nodes: nodes.length, atSize, conditions };
  }

  /** Restores the nodes first, then removes the balloons. */
  async withdraw(policy: BalloonPolicy): Promise<Again> {
    const settings = readPolicy(policy);
    let left = 0;
    for (const node of this.#nodes().filter((each) => this.#manages(each))) {
      const size = this.#deps.sizes.get({ name: node.name });
      const isRestored = policy.spec.onDisable === 'Leave' || !size || isFull(size, settings);
      if (isRestored) await this.#release(node);
      else left++;
    }
    if (left > 0) return { requeueAfterMs: restoreAgainMs };
    await this.removeLeftovers();
    const conditions = this.#ready(policy, false, { reason: 'Disabled', message: 'the policy is off' });
    await this.#tell(policy, { nodes: 0, atSize: 0, conditions });
    await this.#keep(policy, removeFinalizer, false);
    return {};
  }

  /** Removes everything of a policy that was deleted. */
  async removeLeftovers(): Promise<Again> {
    const { kube, namespace, daemonSets } = this.#deps;
    for (const node of this.#nodes()) if (this.#manages(node)) await this.#release(node);
    const ref = { namespace, name: daemonSetName(this.#name) };
    if (daemonSets.get(ref)) await kube.resource(DaemonSet).delete(ref, { signal: this.#signal });
    return {};
  }

  async #release({ name }: NodeView): Promise<void> {
    const { kube, sizes } = this.#deps;
    const size = sizes.get({ name });
    if (size && hasFinalizer(size, keys.restore)) {
      const change = (draft: NodeSize) => removeFinalizer(draft, keys.restore);
      await kube.resource(NodeSize).mutate({ name }, change, { signal: this.#signal });
    }
    await releaseNode(kube, name, this.#signal);
  }

  /** Sets or removes the finalizer, which keeps a policy until its nodes are restored. */
  async #keep(
    policy: BalloonPolicy,
    change: (draft: BalloonPolicy, finalizer: string) => void,
    wanted: boolean,
  ): Promise<void> {
    if (hasFinalizer(policy, keys.restore) === wanted) return;
    await this.#deps.kube
      .resource(BalloonPolicy)
      .mutate({ name: this.#name }, (draft) => change(draft, keys.restore), { signal: this.#signal });
  }

  async #tell(policy: BalloonPolicy, told: Omit<BalloonPolicyStatus, 'observedGeneration'>): Promise<void> {
    const status: BalloonPolicyStatus = { observedGeneration: policy.metadata.generation ?? 0, ...told };
    if (sameJson(policy.status ?? {}, status)) return;
    await this.#deps.kube
      .resource(BalloonPolicy)
      .merge(
        { name: this.#name },
        { status: { ...status, conflicts: status.conflicts ?? null, priorityMode: status.priorityMode ?? null } },
        { subresource: 'status', signal: this.#signal },
      );
  }

  #ready(policy: BalloonPolicy, holds: boolean, why: { readonly reason: string; readonly message: string }) {
    const condition = { type: 'Ready', status: holds ? 'True' : 'False', ...why } as const;
    return setCondition(policy.status?.conditions, condition, this.#nowMs) as readonly Condition[];
  }

  #manages({ labels }: NodeView): boolean {
    return labels[keys.managed] === this.#name;
  }

  #nodes(): readonly NodeView[] {
    return this.#deps.nodes.list().map(readNode);
  }
}

/** So many requests at a time. */
const atATime = 20;

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const worker = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: atATime }, worker));
}

function isAtSize(size: NodeSize | undefined): boolean {
  return (size?.status?.conditions ?? []).some(({ type, status }) => type === 'Ready' && status === 'True');
}

function isFull({ status }: NodeSize, { limits }: PolicySettings): boolean {
  if (status?.resize) return false;
  if (!status?.balloon) return true;
  const { cpu, memory } = parseAmounts(status.balloon.allocated);
  // Memory that is stuck is there again when the pod goes.
  const isStuck = findCondition(status.conditions, 'Degraded')?.reason === 'SwapBlocksMemory';
  return cpu === limits.minBalloon.cpu && (isStuck || memory === limits.minBalloon.memory);
}
