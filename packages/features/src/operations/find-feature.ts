import type { Kube } from '@slipway/kube';
import { Feature } from '../api/feature.js';
import { kubernetesNamespace } from '../api/group.js';

/**
 * The Feature of a gate, however its letters are cased. Without a namespace
 * kube-system comes first, then whatever namespace has one.
 */
export async function findFeature(
  kube: Kube,
  gate: string,
  namespace?: string,
  signal?: AbortSignal,
): Promise<Feature | undefined> {
  const name = gate.toLowerCase();
  const client = kube.resource(Feature);
  const first = await client.find({ name, namespace: namespace ?? kubernetesNamespace }, signal);
  if (first || namespace !== undefined) return first;
  for await (const page of client.pages({ fieldSelector: `metadata.name=${name}`, signal })) {
    if (page.items[0]) return page.items[0];
  }
  return undefined;
}
