import type { Kube } from '@slipway/kube';
import { Feature } from '../api/feature.js';
import { FeatureDefinition } from '../api/feature-definition.js';
import { kubernetesNamespace } from '../api/group.js';
import { minorVersion, versionRange, versionToLeave } from '../lifecycle/versions.js';
import { kubernetesApiVersions } from '../releases/api-versions.js';
import { kubernetesGates } from '../releases/gate-catalogue.js';
import { groupProcesses, isOfKubernetes, type UpgradeView } from '../upgrade/upgrade-view.js';
import { listAll, listProcesses } from './list-processes.js';
import { listStored } from './list-stored.js';
import { readServerLiveness } from './read-server-liveness.js';

/**
 * Reads what an upgrade check looks at: four listings, page by page, and one of each kind that versions come and go of.
 * Nothing is written.
 * The version to start from is that of the API servers that report and are left to be replaced; where none reports,
 * what the API says of itself.
 */
export async function observeUpgrade(kube: Kube, to: string, signal?: AbortSignal): Promise<UpgradeView> {
  const [features, definitions, all] = await Promise.all([
    listAll(kube, Feature, kubernetesNamespace, signal),
    listAll(kube, FeatureDefinition, kubernetesNamespace, signal),
    listProcesses(kube, kubernetesNamespace, signal),
  ]);
  const processes = all.filter(({ component }) => isOfKubernetes(component));
  const servers = processes.filter(({ component }) => component === 'kube-apiserver');
  const running = versionRange(servers.map(({ version, emulationVersion }) => emulationVersion ?? version));
  const from = running ? versionToLeave(running, to) : minorVersion(await servedVersion(kube, signal));
  const way = { from, to: minorVersion(to) };
  const declared = definitions.map(({ spec }) => spec);
  return {
    ...way,
    catalogue: kubernetesGates,
    apiVersions: kubernetesApiVersions,
    stored: await listStored(kube, kubernetesApiVersions, way, declared, signal),
    servers: await readServerLiveness(kube, features, signal),
    features,
    definitions: new Map(declared.map((spec) => [spec.gate, spec])),
    groups: groupProcesses(processes),
  };
}

async function servedVersion(kube: Kube, signal?: AbortSignal): Promise<string> {
  const { body } = await kube.transport.request({ method: 'GET', path: '/version', ...(signal && { signal }) });
  return typeof body === 'object' && body !== null && 'gitVersion' in body ? String(body.gitVersion) : '';
}
