import type { Clock, Logger, Transport } from '@slipway/kube';
import type { User } from '../api-server/request.js';
import type { Component } from '../controllers/component/component.js';
import type { GateValues } from './component-gates.js';
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
  /** Amounts each node has. Default: `{ cpu: '4', memory: '8Gi', pods: '110' }`. */
  readonly nodeCapacity?: Readonly<Record<string, string>>;
  /** Address to listen on. Default: 127.0.0.1. */
  readonly bind?: string;
  /** Port to listen on; 0 takes a free one. Default: 0. */
  readonly port?: number;
  /** Kubernetes version that the cluster says it is. Default: 1.34. */
  readonly version?: string;
  /** Pins gates of every component that knows them. */
  readonly featureGates?: GateValues;
  /** Pins gates of single components, by their name. */
  readonly componentGates?: Readonly<Record<string, GateValues>>;
  /**
   * Where to write a kubeconfig: `nowhere` (the default), `user` for the one kubectl
   * uses and one in the data directory, or one file and nowhere else.
   */
  readonly writeKubeconfig?: 'nowhere' | 'user' | { readonly path: string };
  readonly clock?: Clock;
  readonly log?: Logger;
}

/** A running cluster. */
export interface Cluster {
  readonly name: string;
  /** Address of the API server: `https://127.0.0.1:6443`. */
  readonly url: string;
  /** A kubeconfig of its administrator, as text. */
  readonly kubeconfig: string;
  /** The file it was written to, if any. */
  readonly kubeconfigPath: string | undefined;
  readonly dataDir: string | undefined;
  /** What a person should know, though the cluster runs. */
  readonly warnings: readonly string[];
  /** Reaches the API server in this process. Default: as an administrator. */
  transport(user?: User): Transport;
  readonly components: readonly Component[];
  /** The nodes it was started with; each can be stopped, cut off and brought back. */
  readonly nodes: readonly NodeControl[];
  /** Resolves when the nodes are Ready and the controllers work. Rejects when the cluster is stopped before. */
  ready(): Promise<void>;
  /**
   * From now on every component reports its gates and follows what is published for
   * them. Needs the reporting API of feature-gates to be served.
   */
  startReporting(): void;
  /** Has `run` called when the cluster is asked to stop, while the API still answers. */
  beforeStop(run: () => Promise<void>): void;
  /** Resolves once the cluster was stopped, by `stop` or by a control request. */
  readonly stopped: Promise<void>;
  /** Stops in order: the API says that it is not ready, work ends, watches end, what is written is kept. */
  stop(): Promise<void>;
}
