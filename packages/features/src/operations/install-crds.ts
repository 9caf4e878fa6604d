import { findCondition, hasReason, type Kube, type KubeObject, sameJson, sleep } from '@slipway/kube';
import { CustomResourceDefinition, featureCrds } from '../api/crds.js';

/**
 * Creates the CRDs of this group, or brings them to this version, and waits until
 * the API server serves them.
 */
export async function installFeatureCrds(kube: Kube, signal?: AbortSignal): Promise<void> {
  const client = kube.resource(CustomResourceDefinition);
  for (const wanted of featureCrds()) {
    const ref = { name: wanted.metadata.name ?? '' };
    try {
      await client.create(wanted, { signal });
    } catch (error) {
      if (!hasReason(error, 'AlreadyExists')) throw error;
      await client.mutate(ref, (draft) => ({ ...draft, spec: upgraded(draft, wanted) }), { signal });
    }
  }
  for (const { metadata } of featureCrds()) {
    for (;;) {
      const stored = await client.get({ name: metadata.name ?? '' }, signal);
      const conditions = (stored.status as { conditions?: Parameters<typeof findCondition>[0] } | undefined)
        ?.conditions;
      if (findCondition(conditions, 'Established')?.status === 'True') break;
      await sleep(kube.clock, 50, signal);
    }
  }
}

/** What is stored stays unless we say otherwise: the server fills in defaults that are no difference. */
function upgraded(stored: KubeObject, wanted: KubeObject): unknown {
  const versions = wanted.spec.versions;
  return sameJson(stored.spec.versions, versions) ? stored.spec : { ...stored.spec, ...wanted.spec };
}
