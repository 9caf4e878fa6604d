import { Controller, Kube, type Logger, Manager, type Reconciler } from '@slipway/kube';
import { nodes } from '../controllers/api/nodes.js';
import { refOf } from '../controllers/api/object-ref.js';
import { type Pod, pods } from '../controllers/api/pods.js';
import { retryLostRaces } from '../controllers/lost-race.js';
import { RecentWrites } from '../controllers/recent-writes.js';
import { NodeNetwork } from './node-network.js';
import { type NodeSpec, nodeObject } from './node-object.js';
import { NodePods } from './node-pods.js';
import { NodePresence } from './node-presence.js';
import { noDelays, type PodDelays } from './pod-timeline.js';

export interface FleetOptions {
  readonly kube: Kube;
  readonly log: Logger;
  readonly nodes: readonly NodeSpec[];
  /** What the nodes say they run, for example `v1.34.0`. */
  readonly kubeletVersion: string;
  readonly delays?: PodDelays;
  /** What can cut single kubelets off from the API server. Default: nothing does. */
  readonly network?: NodeNetwork;
}

/** One simulated kubelet. */
export interface Kubelet {
  readonly nodeName: string;
  /** Registers its node and takes care of its pods. Resolves once the node is Ready. */
  start(): Promise<void>;
  /** Leaves node and pods as they are: nobody takes care of them until `start`. */
  stop(): Promise<void>;
}

const byNode = 'node';

/**
 * The simulated kubelets of a cluster: one object, one stream of pods for all of them.
 * Each can be stopped and started by itself.
 */
export class KubeletFleet {
  readonly kubelets: readonly Kubelet[];
  readonly #manager: Manager;
  readonly #started = new Map<string, NodePods>();

  constructor(options: FleetOptions) {
    const { kube, log, network = new NodeNetwork() } = options;
    this.#manager = new Manager({ kube, log });
    const { informers } = this.#manager;
    const podInformer = informers.informer(pods);
    podInformer.addIndex(byNode, nodeNameOf);
    const nodeInformer = informers.informer(nodes);
    const recent = new RecentWrites(podInformer, kube.clock);
    podInformer.onChange(({ type, object }) => {
      if (type === 'deleted') this.#started.get(object.spec.nodeName ?? '')?.forget(object.metadata.uid ?? '');
    });

    const reconcile: Reconciler = async (ref, { signal }) => {
      const pod = recent.get(ref);
      if (network.isCut(pod?.spec.nodeName ?? '')) return undefined;
      const node = pod && this.#started.get(pod.spec.nodeName ?? '');
      const requeueAfterMs = node && (await node.sync(pod, signal));
      return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
    };
    const controller = new Controller({
      name: 'kubelet',
      kube,
      log,
      informers,
      for: pods,
      workers: 8,
      reconcile: retryLostRaces(reconcile),
    });
    this.#manager.add(controller);

    const syncPodsOf = (nodeName: string) => {
      for (const pod of podInformer.lister.byIndex(byNode, nodeName)) controller.enqueue(refOf(pod));
    };
    this.kubelets = options.nodes.map((spec, nodeNumber) => {
      // What is shared above stands for what a kubelet hears; this is what it says.
      const ownKube = new Kube(network.through(spec.name, kube.transport), { clock: kube.clock });
      const asRegistered = nodeObject(spec, nodeNumber, options.kubeletVersion, kube.clock.now());
      const presence = new NodePresence({
        kube: ownKube,
        log,
        spec,
        nodeNumber,
        kubeletVersion: options.kubeletVersion,
        node: () => nodeInformer.lister.get({ name: spec.name }),
        isCutOff: () => network.isCut(spec.name),
      });
      network.onMended((nodeName) => {
        if (nodeName !== spec.name || !this.#started.has(nodeName)) return;
        presence.beatNow();
        syncPodsOf(nodeName);
      });
      const nodePods = () =>
        new NodePods({
          kube: ownKube,
          nodeName: spec.name,
          nodeNumber,
          delays: options.delays ?? noDelays,
          recent,
          node: () => nodeInformer.lister.get({ name: spec.name }) ?? asRegistered,
        });
      return {
        nodeName: spec.name,
        start: async () => {
          this.#started.set(spec.name, nodePods());
          syncPodsOf(spec.name);
          await presence.start();
        },
        stop: async () => {
          const running = this.#started.get(spec.name);
          this.#started.delete(spec.name);
          await presence.stop();
          await running?.flush();
        },
      };
    });
  }

  /** Starts the stream of pods; kubelets are started one by one. */
  start(): Promise<void> {
    return this.#manager.start();
  }

  /** Stops all kubelets and the stream. */
  async stop(): Promise<void> {
    await Promise.all(this.kubelets.map((kubelet) => kubelet.stop()));
    await this.#manager.stop();
  }
}

function nodeNameOf(pod: Pod): readonly string[] {
  return pod.spec.nodeName ? [pod.spec.nodeName] : [];
}
