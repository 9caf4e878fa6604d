import type { Random } from '@slipway/api-machinery/json/random';
import type { StaticTokens } from '@slipway/api-server/auth/authenticate';
import type { Clock, Logger } from '@slipway/kube';
import type { Store } from '@slipway/object-store/store';
import type { PortBackends } from '@slipway/simulated-kubelet/ports/container-port';
import type { ServerSettings } from './api-server-process.js';
import type { AuditLogFile } from './audit-log-file.js';
import type { ClusterOptions } from './cluster.js';
import type { ClusterLock } from './cluster-lock.js';
import type { PinnedGates } from './component-gates.js';
import type { DataDir } from './data-paths.js';
import type { Certificates } from './issue-certificates.js';
import type { WatchDelays } from './late-watches.js';
import type { PlannedNodes } from './planned-nodes.js';

/** The options of a cluster with all defaults filled in, its data directory open and its certificates issued. */
export interface ResolvedOptions {
  readonly name: string;
  readonly bind: string;
  readonly port: number;
  readonly version: string;
  /** At least one. */
  readonly servers: readonly ServerSettings[];
  readonly pinned: PinnedGates;
  readonly dir: DataDir | undefined;
  /** Where gates keep the published values last in effect, if anywhere. */
  readonly gatesFolder: string | undefined;
  readonly dynamicFeatures: readonly string[];
  readonly lock: ClusterLock | undefined;
  readonly store: Store;
  /** Aborts with the error when the store failed for good. */
  readonly broken: AbortSignal;
  readonly certificates: Certificates;
  /** Signs the tokens of service accounts, PEM. */
  readonly serviceAccountKey: string;
  readonly staticTokens: StaticTokens;
  readonly audit: AuditLogFile | undefined;
  readonly writeKubeconfig: NonNullable<ClusterOptions['writeKubeconfig']>;
  readonly planned: PlannedNodes;
  /** What answers on ports of containers; the simulation when absent. */
  readonly containerPorts: PortBackends | undefined;
  /** Whether components other than API servers serve pages about themselves. */
  readonly componentPages: boolean;
  readonly watchDelays: WatchDelays;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}
