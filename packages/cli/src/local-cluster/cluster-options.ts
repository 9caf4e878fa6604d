import { balloonKeys } from '@slipway/balloons/definitions';
import { type ClusterOptions, defaultDataDir, scaledClock } from '@slipway/devcluster';
import { CommandError, exit } from '../runtime/exit.js';
import { type ByServer, usualPort } from './cluster-flags.js';
import type { UpOptions } from './up-options.js';

/** What the machine of `--shared-host` is called, as the label of its nodes. */
const sharedHostName = 'lab-1';

/**
 * Translates the flags of `slipway up` into options.
 * @throws CommandError (usage) when something is said of an API server that there is not
 */
export function clusterOptions(options: UpOptions): ClusterOptions {
  return {
    name: options.name,
    dataDir: options.dataDir ?? defaultDataDir(options.name),
    version: options.kubernetes,
    ephemeral: options.ephemeral ?? false,
    nodes: options.nodes,
    nodeCapacity: { cpu: options.nodeCpu, memory: options.nodeMemory, ...options.sharedHost },
    ...(options.sharedHost && { nodeLabels: { [balloonKeys.host]: sharedHostName } }),
    kubeletVersions: options.kubeletVersion,
    ...(options.kubeletConfig !== undefined && { kubeletConfig: options.kubeletConfig }),
    ...(options.images !== undefined && { images: options.images }),
    ...(options.auditLog !== undefined && { auditLog: options.auditLog }),
    bind: options.bind,
    port: options.port ?? usualPort,
    componentPages: options.componentPages ?? false,
    componentGates: gatesByComponent([
      { component: 'kube-apiserver', gates: options.featureGates },
      ...options.componentGates,
    ]),
    dynamicFeatures: options.dynamicFeatures,
    servers: serversOf(options),
    writeKubeconfig: options.kubeconfig === undefined ? 'user' : { path: options.kubeconfig },
    ...(options.timeScale !== 1 && { clock: scaledClock(options.timeScale) }),
  };
}

function gatesByComponent(all: UpOptions['componentGates']): Record<string, Record<string, boolean>> {
  const byComponent: Record<string, Record<string, boolean>> = {};
  for (const { component, gates } of all) byComponent[component] = { ...byComponent[component], ...gates };
  return byComponent;
}

function serversOf({ servers, serverVersion, serverGates }: UpOptions): NonNullable<ClusterOptions['servers']> {
  requireServers('--server-version', serverVersion, servers);
  requireServers('--server-gates', serverGates, servers);
  return Array.from({ length: servers }, (_, index) => {
    const version = serverVersion[index + 1];
    const featureGates = serverGates[index + 1];
    return { ...(version !== undefined && { version }), ...(featureGates && { featureGates }) };
  });
}

function requireServers(flag: string, said: ByServer<unknown>, servers: number): void {
  const missing = Object.keys(said).find((server) => Number(server) > servers);
  if (missing === undefined) return;
  const message = `${flag} speaks of API server ${missing}, and there ${servers === 1 ? 'is 1' : `are ${servers}`}`;
  throw new CommandError(exit.usage, message, `start more of them with --servers ${missing}`);
}
