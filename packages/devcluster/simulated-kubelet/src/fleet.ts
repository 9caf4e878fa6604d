import {
  Controller,
  inTurn,
  Kube,
  type Logger,
  Manager,
  RecentWrites,
  type Reconciler,
  refOf,
  retryLostRaces,
  type Transport,
} from '@slipway/kube';
import { nodes } from '@slipway/kube-objects/kinds/api/nodes';
import { isFinished, type Pod, pods } from '@slipway/kube-objects/kinds/api/pods';
import { nativeProfile, type VersionProfile } from '@slipway/kube-objects/rules/version-profile';
import { instantly, type NewPodPulls } from './images/pod-pulls.js';
import { NodeNetwork } from './node/node-network.js';
import { nodeObject } from './node/node-object.js';
import { NodePods } from './node-pods.js';
import { NodePresence } from './node-presence.js';
import type { Machine } from './pods/machine.js';
import { type KubeletSettings, ordinarySettings } from './settings/kubelet-settings.js';
import { SimulatedNodes } from './simulated-nodes.js';
import { Mirrors } from './static-pods/mirrors.js';
import { noDelays, type PodDelays } from './timeline/pod-timeline.js';

export interface FleetOptions {
  /** What all kubelets hear comes through it. */
  readonly kube: Kube;
  /** What the kubelet of a node speaks through. Default: as `kube`. */
  readonly transportOf?: (node: string) => Transport;
  readonly log: Logger;
  /** What the kubelets run on. */
  readonly machines: readonly Machine[];
  /** What the nodes say they run unless they say something else, for example `v1.34.0`. */
  readonly kubeletVersion: string;
  /** How the kubelet of a node behaves that is of a version such as `1.34`. Default: as Kubernetes, and as KEP-5620 wants it. */
  readonly profileOf?: (version: string, node: string) => VersionProfile;
  readonly delays?: PodDelays;
  /** What the kubelets were configured to do. Default: as Kubernetes, with nothing reserved and pulls unlimited. */
  readonly settings?: KubeletSettings;
  /** How pods come to their images. Default: all are there at once. */
  readonly newPulls?: NewPodPulls | undefined;
  /** Through what API servers reach the nodes. Default: they do not. */
  readonly reach?: SimulatedNodes;
  /** What can cut single kubelets off from the API server. Default: nothing does. */
  readonly network?: NodeNetwork;
}

/** One simulated kubelet. */
export interface Kubelet {
  readonly nodeName: string;
  /** Registers its node and takes care of its pods. Resolves once the node is Ready. */
  start(): Promise<void>;
  /** Leaves node and pods as they are: they are not managed until `start`. */
  stop(): Promise<void>;
}

const byNode = 'node';
const byAddress = 'address';

/**
 * The simulated kubelets of a cluster: one object, one stream of pods for all of them.
 * Each can be stopped and started by itself.
 */
export class KubeletFleet {
  readonly kubelets: readonly Kubelet[];
  readonly #manager: Manager;
  readonly #started = new Map<string, NodePods>();
  readonly #mirrors = new Map<string, Mirrors>();

  constructor(options: FleetOptions) {
    const {
      kube,
      log,
      network = new NodeNetwork(),
      reach = new SimulatedNodes({ clock: kube.clock }),
      profileOf = nativeProfile,
    } = options;
    const { settings = ordinarySettings } = options;
    this.#manager = new Manager({ kube, log });
    const { informers } = this.#manager;
    const podInformer = informers.informer(pods);
    podInformer.addIndex(byNode, nodeNameOf);
    podInformer.addIndex(byAddress, addressOf);
    reach.setPods((address) => podInformer.lister.byIndex(byAddress, address)[0]);
    const nodeInformer = informers.informer(nodes);
    const recent = new RecentWrites(podInformer, kube.clock);
    podInformer.onChange(({ type, object }) => {
      if (type !== 'deleted') return;
      const { uid = '', name = '' } = object.metadata;
      const { nodeName = '' } = object.spec;
      const started = this.#started.get(nodeName);
      if (started) started.forget(uid);
      else options.machines.find((machine) => machine.name === nodeName)?.forget(uid);
      this.#mirrors.get(nodeName)?.gone(name);
      reach.forget(uid);
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

    // What happened to a pod is told after what it is: the events of all kubelets are written one after the other.
    const oneByOne = inTurn();
    const podsOf = (nodeName: string) =>
      podInformer.lister.byIndex(byNode, nodeName).map((pod) => recent.get(refOf(pod)) ?? pod);
    const syncPodsOf = (nodeName: string) => {
      for (const pod of podsOf(nodeName)) controller.enqueue(refOf(pod));
    };
    this.kubelets = options.machines.map((machine, nodeNumber) => {
      const { name } = machine;
      const { kubeletVersion = options.kubeletVersion } = machine.spec;
      // What is shared above stands for what a kubelet hears; this is what it says.
      const ownTransport = options.transportOf?.(name) ?? kube.transport;
      const { clock, random } = kube;
      const ownKube = new Kube(network.through(name, ownTransport), { clock, random, fieldManager: 'kubelet' });
      const node = () => nodeInformer.lister.get({ name });
      const place = { nodeNumber, fleetSize: options.machines.length };
      const asRegistered = nodeObject(machine.spec, place, kubeletVersion, kube.clock.now());
      const isCutOff = () => network.isCut(name);
      const presence = new NodePresence({
        kube: ownKube,
        log,
        machine,
        ...place,
        kubeletVersion,
        node,
        isCutOff,
      });
      network.onMended((nodeName) => {
        if (nodeName !== name || !this.#started.has(name)) return;
        presence.beatNow();
        syncPodsOf(name);
      });
      machine.onChanged(() => {
        this.#started.get(name)?.capacityChanged();
        presence.capacityChanged();
      });
      const nodePods = () =>
        new NodePods({
          kube: ownKube,
          machine,
          nodeNumber,
          delays: options.delays ?? noDelays,
          profile: profileOf(minorOf(kubeletVersion), name),
          settings,
          newPulls: options.newPulls ?? instantly,
          recent,
          reach,
          node: () => node() ?? asRegistered,
          syncSoon: (pod) => controller.enqueue(refOf(pod)),
          inTurn: oneByOne,
        });
      const mirrors = new Mirrors({ kube: ownKube, log, nodeName: name, staticPods: settings.staticPods });
      return {
        nodeName: name,
        start: async () => {
          const started = nodePods();
          this.#started.set(name, started);
          started.begin(podsOf(name));
          syncPodsOf(name);
          reach.setAnswering(name, true);
          await presence.start();
          this.#mirrors.set(name, mirrors);
          mirrors.start();
        },
        stop: async () => {
          const running = this.#started.get(name);
          this.#started.delete(name);
          reach.setAnswering(name, false);
          this.#mirrors.delete(name);
          mirrors.stop();
          await presence.stop();
          await running?.stop();
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

/** Pods that have ended no longer have their address, and others may share that of their node. */
function addressOf(pod: Pod): readonly string[] {
  const { podIP } = pod.status ?? {};
  return podIP && !pod.spec.hostNetwork && !isFinished(pod) ? [podIP] : [];
}

/** `v1.34.0` is a `1.34`. */
function minorOf(kubeletVersion: string): string {
  return /^v(\d+\.\d+)/.exec(kubeletVersion)?.[1] ?? kubeletVersion;
}
