import { setMaxListeners } from 'node:events';
import {
  type Access,
  type Clock,
  hasReason,
  type Kube,
  type KubeObject,
  type Logger,
  type ResourceRef,
  type Runnable,
  sleep,
  stderrLog,
} from '@slipway/kube';
import { AgentMetrics } from './agent-metrics.js';
import { localComponents, type Ports } from './local-components.js';
import { bridgePulls } from './pulls/bridge-pulls.js';
import { PullLimitGate, pullsComponent } from './pulls/pull-limit-gate.js';
import type { PullLimiterPort } from './pulls/pull-queue.js';
import { type LocalComponent, watchComponent } from './watch-component.js';

export interface NodeAgentOptions {
  readonly kube: Kube;
  /** How the API server is reached: the same proof is shown to the components of the node. */
  readonly access: Access;
  /** Name of the node that this process runs on. */
  readonly node: string;
  /** Where the components listen, as far as it is not where Kubernetes puts them. */
  readonly ports?: Ports | undefined;
  /** PEM of who signed the certificates of the components. They are taken as they are when absent: it is this machine. */
  readonly componentAuthority?: string | undefined;
  /** Admin socket of a pull daemon, whose gate is reported like that of any component. */
  readonly pullsSocket?: string | undefined;
  /** Steers that pull daemon, so that PullLimits apply to it and the cluster sees its queue; not bridged when absent. */
  readonly pullLimiter?: PullLimiterPort | undefined;
  readonly metrics?: AgentMetrics | undefined;
  readonly log?: Logger | undefined;
  /** Numbers from 0 up to 1. */
  readonly random?: (() => number) | undefined;
}

/** Features of Kubernetes' own components live here, and so do the reports about them. */
const namespace = 'kube-system';
const retryMs = 10_000;

const Node: ResourceRef = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false };

/**
 * Reports the components of one node that know nothing of us, each from its own metrics page: kubelet, kube-proxy,
 * scheduler, controller manager, and a pull daemon. Those that are not there are no trouble. The pull daemon is bridged to
 * the API: see `bridgePulls`.
 */
export function nodeAgent(options: NodeAgentOptions): Runnable {
  const { kube, node, pullLimiter, log = stderrLog, random = Math.random, metrics = new AgentMetrics() } = options;
  const { clock } = kube;
  const nodes = kube.resource(Node);
  let isReady = false;
  let ended: Promise<void> = Promise.resolve();
  const work = async (signal: AbortSignal) => {
    const object = await patiently(() => nodes.get({ name: node }, signal), clock, log, signal);
    if (!object) return;
    isReady = true;
    const owner = { apiVersion: 'v1', kind: 'Node', name: node, uid: object.metadata.uid ?? '' };
    const common = { transport: kube.transport, namespace, node, owner, clock, log, metrics, random };
    const components = await localComponents({ ...options, object, signal, log });
    const gate = new PullLimitGate(node);
    const over = (local: LocalComponent): LocalComponent =>
      pullLimiter && local.component === pullsComponent ? { ...local, over: (page) => gate.over(page) } : local;
    const work = components.map((local) => watchComponent(over(local), common, signal));
    if (pullLimiter) work.push(bridgePulls({ kube, owner, log, limiter: pullLimiter, gate, random }, signal));
    await Promise.all(work);
  };
  return {
    name: 'node-agent',
    start(stopping) {
      // Each component listens to it.
      const signal = AbortSignal.any([stopping]);
      setMaxListeners(0, signal);
      ended = work(signal);
      return ended;
    },
    stop: () => ended.catch(() => {}),
    ready: () => isReady,
  };
}

/** The Node, once there is one and the API server shows it. Undefined when it was stopped before. */
async function patiently(
  get: () => Promise<KubeObject>,
  clock: Clock,
  log: Logger,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  let said: string | undefined;
  while (!signal.aborted) {
    try {
      return await get();
    } catch (error) {
      if (signal.aborted) return undefined;
      const why = hasReason(error, 'NotFound') ? 'there is no such node' : String(error);
      if (why !== said) log.warn('the node cannot be read, trying again', { error: why });
      said = why;
      await sleep(clock, retryMs, signal).catch(() => {});
    }
  }
  return undefined;
}
