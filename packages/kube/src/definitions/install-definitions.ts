import type { Kube } from '../client/client.js';
import { sleep } from '../clock/clock.js';
import { keepProcessAlive } from '../clock/keep-process-alive.js';
import { isConditionTrue } from '../conditions/conditions.js';
import type { KubeObject } from '../transport/objects.js';
import { CustomResourceDefinition } from './custom-resource-definition.js';

const lookAgainMs = 50;

/** Who is named as the owner of what `slipway` installs. */
export const installer = 'slipway-install';

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
  // Whoever wrote a definition before, from here on its versions are those of this release.
  const options = { fieldManager: installer, force: true, signal };
  for (const wanted of definitions) await client.apply({ ...wanted, metadata: metadataOf(wanted) }, options);
  for (const wanted of definitions) await untilEstablished(kube, wanted, signal);
}

async function untilEstablished(kube: Kube, wanted: KubeObject, signal?: AbortSignal): Promise<void> {
  const client = kube.resource(CustomResourceDefinition);
  for (;;) {
    const stored = await client.get(metadataOf(wanted), signal);
    if (isConditionTrue(stored.status?.conditions, 'Established')) return;
    await keepProcessAlive(sleep(kube.clock, lookAgainMs, signal));
  }
}

function metadataOf({ metadata }: KubeObject) {
  return { ...metadata, name: metadata.name ?? '' };
}
