import { readFileSync } from 'node:fs';
import { errorMessage } from '@slipway/kube';
import type { ImageScenario } from '@slipway/simulated-kubelet/images/images-file';
import type { NodeSpec } from '@slipway/simulated-kubelet/node/node-object';
import { type KubeletSettings, ordinarySettings } from '@slipway/simulated-kubelet/settings/kubelet-settings';
import type { ClusterOptions } from './cluster.js';
import { ClusterStartError } from './cluster-start-error.js';
import { requireVersion } from './kubernetes-version.js';

/** The nodes of a cluster, and what their kubelets were told. */
export interface PlannedNodes {
  readonly nodes: readonly NodeSpec[];
  readonly settings: KubeletSettings;
  /** The images there are; undefined when all are there as soon as they are asked for. */
  readonly scenario: ImageScenario | undefined;
}

/** @throws ClusterStartError BadOption when a file cannot be used, or a node is named that there is not */
export async function plannedNodes(options: ClusterOptions): Promise<PlannedNodes> {
  const { nodes: count = 3, kubeletVersions = {} } = options;
  const settings = options.kubeletConfig === undefined ? ordinarySettings : await settingsIn(options.kubeletConfig);
  const read = options.images === undefined ? undefined : await imagesIn(options.images);
  const { reserved, evictedBelow, maxPods = 110 } = settings;
  const capacity = {
    cpu: '4',
    memory: '8Gi',
    'ephemeral-storage': '100Gi',
    pods: String(maxPods),
    ...options.nodeCapacity,
  };
  const nodes = Array.from({ length: count }, (_, index) => {
    const name = `n${index + 1}`;
    const version = kubeletVersions[name];
    return {
      name,
      capacity,
      ...(options.nodeLabels && { labels: options.nodeLabels }),
      reserved,
      evictedBelow,
      ...(version !== undefined && { kubeletVersion: `v${version}.0` }),
    };
  });
  for (const [name, version] of Object.entries(kubeletVersions)) {
    requireVersion(version);
    if (nodes.some((node) => node.name === name)) continue;
    throw new ClusterStartError('BadOption', `there is no node "${name}"`, `nodes are called n1 to n${count}`);
  }
  const scenario =
    read ??
    (settings.pullsAtOnce > 0
      ? (await import('@slipway/simulated-kubelet/images/images-file')).ordinaryImages
      : undefined);
  return { nodes, settings, scenario };
}

async function settingsIn(path: string): Promise<KubeletSettings> {
  const { readKubeletSettings, KubeletSettingsError } = await import(
    '@slipway/simulated-kubelet/settings/read-kubelet-settings'
  );
  try {
    return readKubeletSettings(path);
  } catch (error) {
    if (!(error instanceof KubeletSettingsError)) throw error;
    throw new ClusterStartError('BadOption', error.message, 'give a file with a KubeletConfiguration', {
      cause: error,
    });
  }
}

async function imagesIn(path: string): Promise<ImageScenario> {
  const { readImages } = await import('@slipway/simulated-kubelet/images/images-file');
  try {
    return readImages(readFileSync(path, 'utf8'));
  } catch (error) {
    const why = errorMessage(error);
    const hint = 'give a file such as: {bandwidth: 100Mi, images: [{name: web, size: 300Mi}]}';
    throw new ClusterStartError('BadOption', `${path}: ${why}`, hint, { cause: error });
  }
}
