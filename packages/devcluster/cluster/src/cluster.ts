import type { User } from '@slipway/api-machinery/identity/user';
import type { Clock, Kube, Logger, Transport } from '@slipway/kube';
import type { PortBackends } from '@slipway/simulated-kubelet/ports/container-port';
import type { ServerControl, ServerSettings } from './api-server-process.js';
import type { Component } from './component/component.js';
import type { GateValues } from './component-gates.js';
import type { WatchDelays } from './late-watches.js';
import type { NodeControl } from './node-control.js';

/** How a cluster is started. Everything has a default. */
export interface ClusterOptions {
  /** Name of the cluster; its kubeconfig context is `slipway-<name>`. Default: `dev`. */
  readonly name?: string;
  /** Where the data lies. Default: nowhere, everything is in memory and nothing is written. */
  readonly dataDir?: string;
  /** Keeps objects in memory also when there is a data directory. */
  readonly ephemeral?: boolean;
  /** How many simulated nodes. Default: 3. */
  readonly nodes?: number;
  /** Amounts each node has. Default: `{ cpu: '4', memory: '8Gi', 'ephemeral-storage': '100Gi', pods: '110' }`. */
  readonly nodeCapacity?: Readonly<Record<string, string>>;
  /** Labels of all nodes, beside their own. */
  readonly nodeLabels?: Readonly<Record<string, string>>;
  /** Kubelets of another version than the cluster, by node: `{ n2: '1.33' }`. They behave as that version does. */
  readonly kubeletVersions?: Readonly<Record<string, string>>;
  /**
   * File with the KubeletConfiguration of all kubelets. Default: nothing is reserved, and all images are pulled at
   * once.
   */
  readonly kubeletConfig?: string;
  /** File that says how large images are, how fast they come and which fail. Default: all are there at once. */
  readonly images?: string;
  /**
   * What answers on ports of containers, for port-forward and for the proxies of pods and services: a function from
   * `Request` to `Response`, or `{ localPort }`. Default: those that containers name answer with a line that says which
   * they are.
   */
  readonly containerPorts?: PortBackends;
  /** File that gets an audit event, one JSON line each, for every request. Default: none is kept. */
  readonly auditLog?: string;
  /** Address to listen on. Default: 127.0.0.1. */
  readonly bind?: string;
  /** Port to listen on; 0 takes a free one. Default: 0. Several API servers take those that follow. */
  readonly port?: number;
  /** Users by the bearer tokens that stand for them, for programs that know no other way to sign in. */
  readonly tokens?: Readonly<Record<string, User>>;
  /** Kubernetes version that the cluster is: 1.34 to 1.37. Default: 1.37. */
  readonly version?: string;
  /** Pins gates of every component that knows them. */
  readonly featureGates?: GateValues;
  /** Patterns of gates that components may take from the API: their `--dynamic-features`. Default: all. */
  readonly dynamicFeatures?: readonly string[];
  /** Pins gates of single components, by their name. */
  readonly componentGates?: Readonly<Record<string, GateValues>>;
  /**
   * The API servers, over one store; what one does not say is as for the cluster. With several, `url` and
   * the context of the cluster lead to the first that runs, and each has an address and a context
   * `slipway-<name>-server-<number>` of its own. Default: one.
   */
  readonly servers?: readonly Partial<ServerSettings>[];
  /**
   * Has the kubelets, the scheduler and the controller manager serve `/metrics` and `/healthz` over HTTPS as
   * Kubernetes' own do: the latter two on their usual ports if these are free, each kubelet on a port that its Node
   * names. They do not report their gates then: who wants to know reads the pages. Default: false.
   */
  readonly componentPages?: boolean;
  /**
   * Delays of a component's watch events, in milliseconds of the cluster's time, so that races between components
   * occur: `{ 'kube-scheduler': () => lateMs }`, called for each event. Default: none.
   */
  readonly watchDelays?: WatchDelays;
  /**
   * Where to write a kubeconfig: `nowhere` (the default), `user` for the one kubectl
   * uses and one in the data directory, or one file and nowhere else.
   */
  readonly writeKubeconfig?: 'nowhere' | 'user' | { readonly path: string };
  /** The clock of the cluster. Default: that of this machine; a `ManualClock` is stepped by `advance`. */
  readonly clock?: Clock;
  /**
   * Random numbers of at least 0 and below 1, for names, UIDs, the choice among equal nodes, and jitter. With a stepped
   * `clock` and a single writer, the same numbers give the same run. Default: random numbers of this machine.
   */
  readonly random?: () => number;
  readonly log?: Logger;
}

/** All objects of a cluster at one moment. */
export interface ClusterSnapshot {
  /** How many objects it has. */
  readonly objects: number;
}

/** A running cluster. */
export interface Cluster {
  readonly name: string;
  /** Address of the API: `https://127.0.0.1:6443`. */
  readonly url: string;
  /** A kubeconfig of its administrator, as text. */
  readonly kubeconfig: string;
  /** The file it was written to, if any. */
  readonly kubeconfigPath: string | undefined;
  readonly dataDir: string | undefined;
  /** What a person should know, though the cluster runs. */
  readonly warnings: readonly string[];
  /** The time the cluster lives by. */
  readonly clock: Clock;
  /**
   * Moves time on by `byMs`, and resolves when all that falls due until then is done and nothing is under way.
   * Only for a cluster that was handed a clock that is stepped, as `ManualClock` of `@slipway/kube/testing`.
   * @throws TypeError when time passes by itself
   */
  advance(byMs: number): Promise<void>;
  /** Reaches the API in this process. Default: as an administrator. */
  transport(user?: User): Transport;
  /** A client over `transport`, in the time of the cluster. */
  kube(user?: User): Kube;
  readonly components: readonly Component[];
  /** The API servers; each can be stopped, started and restarted with another version or other gates. */
  readonly servers: readonly ServerControl[];
  /** The nodes it was started with; each can be stopped, cut off and brought back. */
  readonly nodes: readonly NodeControl[];
  /** Where components other than API servers serve pages about themselves, if they do. */
  readonly componentPages: readonly { readonly component: string; readonly instance: string; readonly url: string }[];
  /**
   * Resolves when the nodes are Ready and take pods, the controllers work and all roles of Kubernetes are there.
   * Rejects when the cluster is stopped before.
   */
  ready(): Promise<void>;
  /**
   * From now on every component reports its gates and follows what is published for
   * them. Needs the reporting API of feature-gates to be served.
   */
  startReporting(): void;
  /**
   * Remembers all objects, for `restore`. Costs no copy of them.
   */
  snapshot(): Promise<ClusterSnapshot>;
  /**
   * Makes all objects what they were in a snapshot of this cluster, UIDs and times included. Each difference is a write with a
   * new resourceVersion, so that watches go on and see it as an event, and caches of controllers stay right. Resolves when
   * readers see all of them. Leases of components and of nodes stay as they are, and so do processes: a kubelet that was
   * stopped is to be started again.
   * @throws TypeError for a snapshot of another cluster
   */
  restore(snapshot: ClusterSnapshot): Promise<void>;
  /** Has `run` called when the cluster is asked to stop, while the API still answers. */
  beforeStop(run: () => Promise<void>): void;
  /** Why it stopped by itself: the disk under its data failed. Undefined otherwise. */
  readonly failure: Error | undefined;
  /** Resolves once the cluster was stopped, by `stop`, by a control request, or by a failure. */
  readonly stopped: Promise<void>;
  /** Stops in order: the API says that it is not ready, work ends, watches end, what is written is kept. */
  stop(): Promise<void>;
}
