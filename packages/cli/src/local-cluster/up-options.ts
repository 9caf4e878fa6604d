import type { ByServer, ComponentGates, GateValues, SharedHost } from './cluster-flags.js';

/** What was typed after `slipway up`, with defaults filled in. */
export interface UpOptions {
  readonly name: string;
  readonly dataDir?: string;
  readonly kubernetes: string;
  readonly nodes: number;
  readonly nodeCpu: string;
  readonly nodeMemory: string;
  readonly sharedHost?: SharedHost;
  readonly balloonConfig?: string;
  readonly kubeletVersion: Readonly<Record<string, string>>;
  readonly kubeletConfig?: string;
  readonly images?: string;
  readonly auditLog?: string;
  /** Undefined takes the usual one, or a free one if that is in use. */
  readonly bind: string;
  readonly port?: number;
  readonly componentPages?: boolean;
  readonly detach?: boolean;
  readonly ephemeral?: boolean;
  readonly kubeconfig?: string;
  readonly featureGates: GateValues;
  readonly componentGates: readonly ComponentGates[];
  readonly featureServers: number;
  readonly featureTasks?: string;
  readonly allowDynamic: readonly string[];
  readonly dynamicFeatures: readonly string[];
  readonly servers: number;
  readonly serverVersion: ByServer<string>;
  readonly serverGates: ByServer<GateValues>;
  readonly timeScale: number;
  readonly format: 'text' | 'json';
}
