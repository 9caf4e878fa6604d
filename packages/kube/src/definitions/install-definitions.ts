import type { Kube } from '../client/client.js';
import { sameJson } from '../client/json.js';
import type { KubeObject } from '../client/objects.js';
import { hasReason } from '../client/status.js';
import { sleep } from '../clock/clock.js';
import { isConditionTrue } from '../conditions/conditions.js';
import { CustomResourceDefinition } from './custom-resource-definition.js';

const lookAgainMs = 50;

/**
 * Creates CustomResourceDefinitions, or brings them to what is wanted, and waits
 * until the API server serves them.
 * @throws StatusError when the API server refuses one.
 */
export async function installDefinitions(
  kube: Kube,
  definitions: readonly KubeObject[],
  signal?: AbortSignal,
): Promise<void> {
  const client = kube.resource(CustomResourceDefinition);
  for (const wanted of definitions) {
    try {
      await client.create(wanted, { signal });
    } catch (error) {
      if (!hasReason(error, 'AlreadyExists')) throw error;
      await client.mutate(refOf(wanted), (draft) => ({ ...draft, spec: upgraded(draft, wanted) }), { signal });
    }
  }
  for (const wanted of definitions) await untilEstablished(kube, wanted, signal);
}

async function untilEstablished(kube: Kube, wanted: KubeObject, signal?: AbortSignal): Promise<void> {
  const client = kube.resource(CustomResourceDefinition);
  for (;;) {
    const stored = await client.get(refOf(wanted), signal);
    if (isConditionTrue(stored.status?.conditions, 'Established')) return;
    await sleep(kube.clock, lookAgainMs, signal);
  }
}

function refOf({ metadata }: KubeObject): { readonly name: string } {
  return { name: metadata.name ?? '' };
}

/** What is stored stays unless we say otherwise: the server fills in defaults that are no difference. */
function upgraded(stored: KubeObject, wanted: KubeObject): unknown {
  const versions = wanted.spec.versions;
  return sameJson(stored.spec.versions, versions) ? stored.spec : { ...stored.spec, ...wanted.spec };
}
