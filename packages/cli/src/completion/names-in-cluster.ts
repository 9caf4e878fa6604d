import type { Kube } from '@slipway/kube';
import type { NameKind, NameSource } from './complete.js';

const features = {
  group: 'features.slipway.dev',
  version: 'v1alpha1',
  kind: 'Feature',
  plural: 'features',
  namespaced: true,
};

/** A person waits for the shell: a cluster that takes longer is not worth the wait. */
const withinMs = 1_500;

/** Names from the cluster, the kubeconfig and the running local clusters; none when they cannot be had at once. */
export function namesInCluster(signal: AbortSignal): NameSource {
  return async (kind, options) => {
    const soon = AbortSignal.any([signal, AbortSignal.timeout(withinMs)]);
    try {
      return await find(kind, options, soon);
    } catch {
      // Whatever is wrong with the cluster is for a command to say, not for the key that completes it.
      return [];
    }
  };
}

async function find(kind: NameKind, options: ReadonlyMap<string, string>, signal: AbortSignal) {
  if (kind === 'cluster') {
    const { runningClusters } = await import('../local-cluster/running-clusters.js');
    return (await runningClusters()).map(({ name }) => name);
  }
  if (kind === 'context') {
    const { readKubeconfig } = await import('../local-cluster/find-cluster.js');
    return (readKubeconfig(options.get('--kubeconfig'))?.contexts ?? []).map(({ name }) => name);
  }
  const { connect } = await import('../runtime/connect.js');
  const kubeconfig = options.get('--kubeconfig');
  const context = options.get('--context');
  const kube = await connect({ ...(kubeconfig && { kubeconfig }), ...(context && { context }) });
  return await namesOf(kube, kind, options.get('--namespace'), signal);
}

async function namesOf(kube: Kube, kind: NameKind, namespace: string | undefined, signal: AbortSignal) {
  const { pathOf } = await import('@slipway/kube');
  const path = {
    feature: pathOf(features, namespace),
    node: '/api/v1/nodes',
    namespace: '/api/v1/namespaces',
    context: '',
    cluster: '',
  }[kind];
  const { body } = await kube.transport.request({ method: 'GET', path: `${path}?limit=500`, signal });
  const { items = [] } = body as { items?: readonly { metadata: { name: string }; spec?: { gate?: string } }[] };
  return items.map(({ metadata, spec }) => (kind === 'feature' ? (spec?.gate ?? metadata.name) : metadata.name));
}
