import { type InformerFactory, isConditionTrue, type Kube, type Logger, type Runnable, sleep } from '@slipway/kube';
import type { BalloonPolicy } from '../api/balloon-policy.js';
import { keys } from '../api/group.js';
import type { NodeSize } from '../api/node-size.js';
import { choosePolicy } from '../nodes/choose-policy.js';
import { claimantsOf, claimSize, sizeManagers } from '../nodes/claim-size.js';
import { type NodeView, readNode } from '../nodes/node-view.js';
import { type Amounts, nothing, parseAmounts, plus, sameAmounts } from '../planner/amounts.js';
import type { SizeLimits } from '../planner/plan-size.js';
import { Pod } from '../pods/pod.js';
import { readPolicy } from '../settings/policy-settings.js';
import { isOfGeneration } from '../ticket/ticket-id.js';
import type { BalloonWorld } from '../world/balloon-world.js';
import { autosizeSettings } from './autosize-settings.js';
import { BoundVolumes } from './bound-volumes.js';
import {
  type AutosizeDecision,
  type AutosizeSettings,
  decideSize,
  type KeepReason,
  largestSize,
  type Want,
  wantNow,
  withHeadroom,
} from './decide-size.js';
import type { PendingPod } from './may-run.js';
import { Neighbourhood } from './neighbourhood.js';
import { type GrowingNode, growthPreempts, lacksRoom, type NodeDemand, pendingDemand } from './pending-demand.js';
import type { SizeAdvice } from './size-advice.js';
import { spareRoom } from './spare-room.js';

/** Interval between two decisions. */
const everyMs = 1_000;
/** The choice of nodes that keep room for one more pod of each workload is made this often. */
const spareEveryMs = 5_000;
/** Age up to which a node does not shrink: a new node is about to be filled. */
const youngMs = 5 * 60_000;
/** How long a node does not shrink after a failed resize; doubles with each failure. */
const holdMs = { first: 60_000, most: 30 * 60_000 };

/** One node that a policy with `autosize` manages. */
interface Candidate {
  readonly node: NodeView;
  readonly size: NodeSize;
  readonly requested: Amounts;
  readonly limits: SizeLimits;
  readonly settings: AutosizeSettings;
}

interface Hold {
  readonly resizeID: string;
  readonly untilMs: number;
  readonly forMs: number;
}

/**
 * Resizes nodes to what their pods request and a headroom, where a policy enables it. With mode `Recommend` it only
 * reports the size. When it is turned off, sizes stay as they are.
 */
export class Autosizer implements Runnable {
  readonly name = 'balloon-autosizer';
  readonly #kube: Kube;
  readonly #world: BalloonWorld;
  readonly #log: Logger;
  readonly #pending: ReturnType<InformerFactory['informer']>;
  readonly #wants = new Map<string, Want[]>();
  readonly #holds = new Map<string, Hold>();
  readonly #advice: SizeAdvice;
  readonly #volumes: BoundVolumes;
  #spare: { readonly atMs: number; readonly rooms: ReadonlyMap<string, Amounts> } | undefined;

  constructor(deps: {
    readonly kube: Kube;
    readonly informers: InformerFactory;
    readonly world: BalloonWorld;
    readonly advice: SizeAdvice;
    readonly log: Logger;
  }) {
    this.#advice = deps.advice;
    this.#kube = deps.kube;
    this.#volumes = new BoundVolumes(deps.kube, deps.log);
    this.#world = deps.world;
    this.#log = deps.log;
    this.#pending = deps.informers.informer(Pod, { fieldSelector: 'spec.nodeName=' });
  }

  async start(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#round(signal);
      } catch (error) {
        if (!signal.aborted) this.#log.warn('sizes could not follow what pods ask for', { error: String(error) });
      }
      await sleep(this.#kube.clock, everyMs, signal).catch(() => {});
    }
  }

  async #round(signal: AbortSignal): Promise<void> {
    const all = this.#candidates();
    const pending = await this.#withVolumes(signal);
    const neighbourhood = pending.length > 0 ? this.#neighbourhood() : new Neighbourhood([], []);
    const growing = new Map(all.map((candidate) => [candidate.node.name, growingNode(candidate)]));
    const nodes = all.filter(mayGrow).flatMap(({ node }) => growing.get(node.name) ?? []);
    const demand = pendingDemand(pending, nodes, neighbourhood);
    const spare = this.#spareRoom(nodes, demand);
    const preempts = (name: string, to: Amounts) => {
      const node = growing.get(name);
      return node !== undefined && growthPreempts(node, to, demand.get(name), pending, neighbourhood);
    };
    let budget = Math.max(1, Math.floor(all.length / 10)) - all.filter(({ size }) => size.status?.resize).length;
    this.#advice.onlyFor(new Set(all.map(({ node }) => node.name)));
    for (const candidate of all) {
      const { name } = candidate.node;
      const room = { pending: demand.get(name)?.amounts ?? nothing, spare: spare.get(name) ?? nothing };
      const decided = this.#decide(candidate, room, budget > 0);
      const isHarmful = decided.kind === 'grow' && preempts(name, decided.to);
      const decision: AutosizeDecision = isHarmful ? { kind: 'keep', reason: 'WouldPreempt' } : decided;
      this.#advice.note(name, decision, parseAmounts(candidate.size.status?.size));
      if (decision.kind === 'keep' || !candidate.settings.isEnforced) continue;
      if (decision.kind === 'shrink') budget--;
      await claimSize(this.#kube, candidate.size, decision.to, { fieldManager: sizeManagers.autosizer, signal });
    }
  }

  #spareRoom(nodes: readonly GrowingNode[], demand: ReadonlyMap<string, NodeDemand>): ReadonlyMap<string, Amounts> {
    const nowMs = this.#kube.clock.monotonicMs();
    if (this.#spare && nowMs - this.#spare.atMs < spareEveryMs) return this.#spare.rooms;
    const replicas =
      nodes.length === 0 ? [] : this.#world.shares.lister.list().flatMap(({ share }) => share.replica ?? []);
    const rooms = replicas.length === 0 ? new Map() : spareRoom(replicas, nodes, demand, this.#neighbourhood());
    this.#spare = { atMs: nowMs, rooms };
    return rooms;
  }

  /** Returns the pods that lack room, without those whose volumes cannot be read. */
  async #withVolumes(signal: AbortSignal): Promise<readonly PendingPod[]> {
    const lacking = this.#pending.lister.list().filter(lacksRoom);
    const read = await Promise.all(lacking.map((pod) => this.#volumes.withVolumes(pod, signal)));
    return read.filter((each) => each !== undefined);
  }

  #neighbourhood(): Neighbourhood {
    const pods = this.#world.shares.lister.list().flatMap(({ share }) => share.neighbour ?? []);
    return new Neighbourhood(this.#world.nodes.lister.list().map(readNode), pods);
  }

  #decide(
    { node, size, requested, limits, settings }: Candidate,
    { pending, spare }: { readonly pending: Amounts; readonly spare: Amounts },
    hasBudget: boolean,
  ): AutosizeDecision {
    const nowMs = this.#kube.clock.monotonicMs();
    const wanted = wantNow(plus(requested, pending), node.allocatable, settings, limits, spare);
    const wants = this.#remember(node.name, { atMs: nowMs, amounts: wanted }, settings.stabilizationMs * 6);
    return decideSize({
      nowMs,
      allocatable: node.allocatable,
      size: parseAmounts(size.status?.size),
      limits,
      stabilizationMs: settings.stabilizationMs,
      wants,
      keep: this.#whyKeep(node, size, hasBudget, nowMs),
    });
  }

  /** Of equal wants in a row only the first and the last are kept. */
  #remember(node: string, want: Want, forMs: number): readonly Want[] {
    const kept = (this.#wants.get(node) ?? []).filter(({ atMs }) => atMs >= want.atMs - forMs - everyMs);
    const isSame = (other: Want | undefined) => other !== undefined && sameAmounts(other.amounts, want.amounts);
    if (isSame(kept.at(-1)) && isSame(kept.at(-2))) kept.pop();
    kept.push(want);
    this.#wants.set(node, kept);
    return kept;
  }

  #whyKeep(node: NodeView, { status }: NodeSize, hasBudget: boolean, nowMs: number): KeepReason | undefined {
    if (!node.ready) return 'NotReady';
    if (node.leaving) return 'Leaving';
    if (this.#kube.clock.now() - node.createdMs < youngMs) return 'Young';
    if (status?.resize) return 'Resizing';
    if (this.#isHeld(node.name, status?.lastResize, nowMs)) return 'Held';
    return hasBudget ? undefined : 'Budget';
  }

  #isHeld(node: string, last: { readonly id: string; readonly result: string } | undefined, nowMs: number): boolean {
    const hold = this.#holds.get(node);
    if (last?.result !== 'DoesNotFit' && last?.result !== 'RolledBack') {
      this.#holds.delete(node);
      return false;
    }
    if (hold?.resizeID === last.id) return nowMs < hold.untilMs;
    const forMs = hold ? Math.min(hold.forMs * 2, holdMs.most) : holdMs.first;
    this.#holds.set(node, { resizeID: last.id, untilMs: nowMs + forMs, forMs });
    return true;
  }

  #candidates(): readonly Candidate[] {
    const policies = this.#world.policyList();
    if (policies.every(({ spec }) => spec.autosize === undefined)) return [];
    return this.#world.nodes.lister.list().flatMap((object) => this.#candidate(readNode(object), policies));
  }

  #candidate(node: NodeView, policies: readonly BalloonPolicy[]): readonly Candidate[] {
    const policy = choosePolicy(node, policies);
    const settings = policy && autosizeSettings(policy);
    const size = this.#world.sizes.get({ name: node.name });
    if (!policy || !settings || node.labels[keys.autosize] === 'off' || !size?.status?.balloon) return [];
    if (size.spec.paused || size.spec.mode === 'External' || isAppliedByOthers(size)) return [];
    const balloon = this.#world.balloonOf(node.name);
    const requested = this.#world.requestedBeside(node.name, balloon?.metadata.uid);
    return [{ node, size, requested, settings, limits: readPolicy(policy).limits }];
  }
}

function growingNode({ node, size, requested, limits, settings }: Candidate): GrowingNode {
  return {
    node,
    requested,
    most: largestSize(node.allocatable, limits),
    size: parseAmounts(size.status?.size),
    withHeadroom: (amounts) => withHeadroom(amounts, settings),
  };
}

const failures: ReadonlySet<string> = new Set(['TimedOut', 'Rejected', 'Infeasible', 'ActuatorFailed']);

/** Whether pods may count on a node to grow: not while its policy only recommends, nor once its kubelet or machine refused. */
function mayGrow({ settings, size: { metadata, status } }: Candidate): boolean {
  const { id = '', result = '' } = status?.lastResize ?? {};
  const hasFailed = isOfGeneration(id, metadata.generation ?? 0) && failures.has(result);
  // A kubelet may take a resize after it was given up.
  return settings.isEnforced && !(hasFailed && !isConditionTrue(status?.conditions, 'Ready'));
}

/** Whether another field manager, such as a partition, declares the size. */
function isAppliedByOthers(size: NodeSize): boolean {
  return claimantsOf(size).some((manager) => manager !== sizeManagers.autosizer);
}
