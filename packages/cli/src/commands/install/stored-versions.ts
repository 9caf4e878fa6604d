import { CustomResourceDefinition, type KubeObject } from '@slipway/kube';
import type { ClusterObjects } from '../../installation/cluster-objects.js';
import { CommandError, exit } from '../../runtime/exit.js';

interface Definition extends KubeObject {
  readonly spec: { readonly versions: readonly { readonly name: string }[] };
  readonly status?: { readonly storedVersions?: readonly string[] };
}

/**
 * Throws when objects of a kind are stored in a version that the wanted definition does not have, as after a newer release
 * was installed: the API server would refuse the definition, and rights may be written already then.
 */
export async function requireStoredVersions(objects: ClusterObjects, wanted: readonly KubeObject[]): Promise<void> {
  const found = await Promise.all(
    wanted.filter(isDefinition).map(async (definition) => {
      const installed = (await objects.find(definition)) as Definition | undefined;
      const stored = installed?.status?.storedVersions ?? [];
      const missing = stored.filter((version) => !definition.spec.versions.some(({ name }) => name === version));
      return missing.map((version) => `${definition.metadata.name} in ${version}`);
    }),
  );
  const missing = found.flat();
  if (missing.length === 0) return;
  throw new CommandError(
    exit.cluster,
    `the cluster stores objects of ${missing.join(', ')}, which this release does not have`,
    'install the release that stored them, or first store them in a version of both: docs/operations/upgrade.md',
  );
}

function isDefinition(object: KubeObject): object is Definition {
  return object.kind === CustomResourceDefinition.kind;
}
