import { once } from 'node:events';
import { Feature } from '@slipway/features/server';
import { InformerFactory, type Kube, loadPart } from '@slipway/kube';

/**
 * Declares our limit of image pulls when it is first reported: a local cluster has no pull daemon until a node agent
 * connects one, and a gate that no component has is not declared.
 */
export async function declarePullLimit(kube: Kube, signal: AbortSignal): Promise<void> {
  const informers = new InformerFactory(kube);
  const found = new AbortController();
  const selection = { namespace: 'kube-system', fieldSelector: 'metadata.name=parallelimagepulllimit' };
  informers.informer(Feature, selection).onChange(() => found.abort());
  informers.start();
  const either = AbortSignal.any([found.signal, signal]);
  if (!either.aborted) await once(either, 'abort');
  await informers.stop();
  if (signal.aborted) return;
  const [{ declareGate }, { parallelImagePullLimit }] = await Promise.all([
    loadPart(import.meta.url, './declare-gate.js', () => import('./declare-gate.js')),
    import('@slipway/features'),
  ]);
  await declareGate(kube, parallelImagePullLimit(), signal);
}
