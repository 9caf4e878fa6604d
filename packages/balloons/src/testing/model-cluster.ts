import { cloneJson, type FinishedSpan, Kube, type KubeObject, type ResourceRef, silentLog } from '@slipway/kube';
import { type InMemoryApi, inMemoryApi, ManualClock } from '@slipway/kube/testing';
import type { Actuator } from '../actuators/actuator.js';
import { BalloonPolicy, type BalloonPolicySpec } from '../api/balloon-policy.js';
import { apiVersionOfGroup } from '../api/group.js';
import { HostPartition, type HostPartitionSpec } from '../api/host-partition.js';
import { NodeSize, type NodeSizeSpec } from '../api/node-size.js';
import { balloonControllers } from '../controllers/balloon-controllers.js';
import { type BalloonSwitch, balloonGate } from '../gates/balloon-gate.js';
import { BalloonMetrics } from '../metrics/balloon-metrics.js';
import { Node } from '../nodes/node-view.js';
import { DaemonSet } from '../pods/balloon-daemon-set.js';
import { Pod } from '../pods/pod.js';
import { PriorityClass } from '../priority/priority-modes.js';
import { FaultyTransport } from './faulty-transport.js';
import { runDaemonSets } from './model-daemon-sets.js';
import { ModelKubelet } from './model-kubelet.js';
import { ModelScheduler } from './model-scheduler.js';

export interface ModelOptions {
  readonly nodes?: number;
  readonly policy?: BalloonPolicySpec;
  /** Whether the control plane knows the class of the proposal. */
  readonly isNative?: boolean;
  /** How old what the scheduler knows of nodes may be. */
  readonly schedulerLagMs?: number;
  readonly actuators?: ReadonlyMap<string, Actuator>;
  readonly gate?: BalloonSwitch;
  /** From 1.37 on kubelets evict no pod for a critical pod that grows, as with the gate of that version. */
  readonly kubeletVersion?: string;
}

/** Each node has 16 cores and 64Gi. */
export const nodeAmounts = { cpu: '16', memory: '64Gi' };
const stepMs = 50;

/**
 * A cluster in memory under virtual time: API server, DaemonSet controller, scheduler
 * with old knowledge, and kubelets that admit and resize as section 7 of the design
 * has it. The balloon controllers in it are the real ones; they see the API through a
 * transport that can fail.
 */
export class ModelCluster {
  readonly clock = new ManualClock();
  readonly api: InMemoryApi = inMemoryApi({ clock: this.clock });
  readonly admin = new Kube(this.api, { clock: this.clock });
  readonly kubelets = new Map<string, ModelKubelet>();
  readonly #scheduler: ModelScheduler;
  #drawn = 0;
  readonly #actuators: ReadonlyMap<string, Actuator>;
  readonly #gate: BalloonSwitch;
  readonly metrics = new BalloonMetrics(this.clock);
  /** What was told as a trace. */
  readonly spans: FinishedSpan[] = [];
  readonly #watchers: (() => void)[] = [];
  transport = new FaultyTransport(this.api, this.clock);
  #stopping = new AbortController();
  #uids = 0;
  #deadSinceMs: number | undefined;
  /** Total time without a leader. */
  leaderlessMs = 0;

  constructor(options: ModelOptions = {}) {
    const { nodes = 1, policy = {}, isNative = true, schedulerLagMs = 0 } = options;
    this.#scheduler = new ModelScheduler(this, schedulerLagMs);
    this.#actuators = options.actuators ?? new Map();
    this.#gate = options.gate ?? balloonGate();
    if (isNative) this.api.seed(PriorityClass, priorityClass('system-balloon', 2_000_001_000, 'Never'));
    this.api.seed(PriorityClass, priorityClass('system-node-critical', 2_000_001_000, 'PreemptLowerPriority'));
    for (let index = 1; index <= nodes; index++) this.addNode(`n${index}`, options.kubeletVersion);
    this.addPolicy('all', policy);
    this.#lead();
  }

  /** Called after every step: where invariants are checked. */
  onStep(check: () => void): void {
    this.#watchers.push(check);
  }

  addNode(name: string, kubeletVersion = 'v1.34.0'): void {
    const labels = { 'kubernetes.io/os': 'linux' };
    this.api.seed(Node, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels, creationTimestamp: '2020-01-01T00:00:00Z', generation: 1 },
      spec: {},
      status: {
        capacity: nodeAmounts,
        allocatable: nodeAmounts,
        nodeInfo: { kubeletVersion },
        conditions: [{ type: 'Ready', status: 'True' }],
      },
    });
    this.kubelets.set(name, new ModelKubelet(this, name));
  }

  /** Lets time pass, in steps in which everybody acts once. */
  async pass(ms: number, byMs = stepMs): Promise<void> {
    for (let passed = 0; passed < ms; passed += byMs) {
      await this.clock.advance(byMs);
      await runDaemonSets(this);
      this.#scheduler.run();
      for (const kubelet of this.kubelets.values()) kubelet.sync();
      for (const check of this.#watchers) check();
    }
  }

  /** Lets time pass until it is so. @throws Error when it is not in time. */
  async until(isSo: () => boolean, withinMs = 30_000): Promise<void> {
    for (let passed = 0; !isSo(); passed += stepMs) {
      if (passed > withinMs) throw new Error(`not so after ${withinMs} ms: ${isSo}`);
      await this.pass(stepMs);
    }
  }

  async ask(node: string, spec: NodeSizeSpec): Promise<void> {
    await this.admin.resource(NodeSize).mutate({ name: node }, (draft) => ({ ...draft, spec }));
  }

  /** Asks for a size and waits for the answer. */
  async resize(node: string, spec: NodeSizeSpec): Promise<NodeSize> {
    await this.ask(node, spec);
    await this.until(() => {
      const size = this.size(node);
      return size?.status?.observedGeneration === size?.metadata.generation && !size?.status?.resize;
    }, 60_000);
    return this.size(node) as NodeSize;
  }

  /** A pod that some controller wants; the scheduler finds it a node. */
  addWorkload(name: string, requests: { readonly cpu: string; readonly memory: string }, more: object = {}): void {
    this.put(Pod, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: 'default', name, uid: this.newUID(), generation: 1 },
      spec: { priority: 0, containers: [{ name: 'main', resources: { requests } }], ...more },
      status: { phase: 'Pending' },
    });
  }

  /** As `kubectl patch pod --subresource resize`. */
  async resizePod(pod: KubeObject, requests: { readonly cpu: string; readonly memory: string }): Promise<void> {
    const { name = '', namespace } = pod.metadata;
    const path = '/spec/containers/0/resources/requests';
    await this.admin
      .resource(Pod)
      .json({ name, namespace }, [{ op: 'replace', path, value: requests }], { subresource: 'resize' });
  }

  async deletePod({ metadata: { name = '', namespace } }: KubeObject): Promise<void> {
    await this.admin.resource(Pod).delete({ name, namespace });
  }

  /** Another pod has the name of the balloon from now on, as small as a new one is, and runs already. */
  replaceBalloon(node: string): void {
    const pod = this.balloon(node);
    if (pod) this.put(Pod, { ...pod, metadata: { ...pod.metadata, uid: this.newUID() } });
    this.kubelets.get(node)?.sync();
  }

  async editNode(name: string, edit: (draft: KubeObject) => void): Promise<void> {
    await this.admin.resource(Node).mutate({ name }, edit);
  }

  async setPolicy(spec: BalloonPolicySpec): Promise<void> {
    await this.admin.resource(BalloonPolicy).mutate({ name: 'all' }, (draft) => ({ ...draft, spec }));
  }

  /** Another policy beside `all`. */
  addPolicy(name: string, spec: BalloonPolicySpec): void {
    this.api.seed(BalloonPolicy, aPolicy(name, spec));
  }

  async deletePolicy(): Promise<void> {
    await this.admin.resource(BalloonPolicy).delete({ name: 'all' });
  }

  async partition(spec: HostPartitionSpec | undefined): Promise<void> {
    const name = 'lab';
    const isThere = this.#find(HostPartition, name) !== undefined;
    if (spec && isThere) await this.admin.resource(HostPartition).mutate({ name }, (draft) => ({ ...draft, spec }));
    else if (spec) this.api.seed(HostPartition, aPartition(name, spec));
    else await this.admin.resource(HostPartition).delete({ name });
  }

  async deleteSize(node: string): Promise<void> {
    await this.admin.resource(NodeSize).delete({ name: node });
  }

  /** The machine has other hardware from now on. */
  setAllocatable(name: string, amounts: { readonly cpu: string; readonly memory: string }): void {
    const node = this.node(name);
    if (node) this.put(Node, { ...node, status: { ...node.status, capacity: amounts, allocatable: amounts } });
  }

  /** The process that leads dies: what it was about to send never leaves it. */
  killLeader(): void {
    this.transport.die();
    this.#deadSinceMs ??= this.clock.monotonicMs();
  }

  /** Another one takes over. */
  startLeader(): void {
    if (this.#deadSinceMs === undefined) return;
    this.leaderlessMs += this.clock.monotonicMs() - this.#deadSinceMs;
    this.#deadSinceMs = undefined;
    this.transport = new FaultyTransport(this.api, this.clock);
    this.#lead();
  }

  get isLed(): boolean {
    return this.#deadSinceMs === undefined;
  }

  /** Ends the controllers; time goes on until they have. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.transport.die();
    await this.clock.advance(30_000);
  }

  /** Stores an object as it is. */
  put(resource: Pick<ResourceRef, 'group' | 'plural'>, object: KubeObject): void {
    this.api.seed(resource, cloneJson(object));
  }

  newUID(): string {
    return `model-${++this.#uids}`;
  }

  size(node: string): NodeSize | undefined {
    return this.#find(NodeSize, node) as NodeSize | undefined;
  }

  node(name: string): KubeObject | undefined {
    return this.#find(Node, name);
  }

  pod(name: string): KubeObject | undefined {
    return this.#find(Pod, name);
  }

  pods(): readonly KubeObject[] {
    return this.api.stored(Pod);
  }

  balloon(node: string): KubeObject | undefined {
    return this.balloons().find((pod) => pod.spec?.nodeName === node);
  }

  balloons(): readonly KubeObject[] {
    return this.pods().filter(
      ({ metadata, status }) => metadata.namespace === 'kube-system' && status?.phase !== 'Failed',
    );
  }

  policies(): readonly KubeObject[] {
    return this.api.stored(BalloonPolicy);
  }

  daemonSets(): readonly KubeObject[] {
    return this.api.stored(DaemonSet);
  }

  #find(resource: Pick<ResourceRef, 'group' | 'plural'>, name: string): KubeObject | undefined {
    return this.api.stored(resource).find(({ metadata }) => metadata.name === name);
  }

  #lead(): void {
    const kube = new Kube(this.transport, { clock: this.clock });
    const controllers = balloonControllers({
      kube,
      actuators: this.#actuators,
      metrics: this.metrics,
      trace: (span) => this.spans.push(span),
      gate: this.#gate,
      log: silentLog,
      // No two tickets have the same ID.
      random: () => (this.#drawn++ * 0.618) % 1,
    });
    void Promise.resolve(controllers.start(this.#stopping.signal)).catch(() => {});
  }
}

function aPolicy(name: string, spec: BalloonPolicySpec): BalloonPolicy {
  return { apiVersion: apiVersionOfGroup, kind: 'BalloonPolicy', metadata: { name, generation: 1 }, spec };
}

function aPartition(name: string, spec: HostPartitionSpec): HostPartition {
  return { apiVersion: apiVersionOfGroup, kind: 'HostPartition', metadata: { name, generation: 1 }, spec };
}

function priorityClass(name: string, value: number, preemptionPolicy: string): KubeObject {
  return { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name }, value, preemptionPolicy };
}
