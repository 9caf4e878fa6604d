import { hasReason, type Kube, type KubeObject, type Logger, type ResourceRef, type Runnable } from '@slipway/kube';
import type { DefinitionRegistry } from '../registry/definition-registry.js';
import { customPriority, groupPriorities, versionPriority } from '../registry/group-priorities.js';
import { unlessOvertaken } from './unless-overtaken.js';

const apiServices: ResourceRef = {
  group: 'apiregistration.k8s.io',
  version: 'v1',
  kind: 'APIService',
  plural: 'apiservices',
  namespaced: false,
};

/** Says how long an APIService is kept up: `onstart` as long as nobody deletes it, `true` while its group is defined. */
const managedLabel = 'kube-aggregator.kubernetes.io/automanaged';

/**
 * Lists what an API server serves as APIServices: its own groups when it starts, and those of custom kinds as they
 * come and go. What is there stays as it is.
 */
export function registerApiServices(options: {
  readonly kube: Kube;
  readonly definitions: DefinitionRegistry;
  readonly log: Logger;
}): Runnable {
  const { kube, definitions, log } = options;
  const client = kube.resource(apiServices);
  let following: { close(): void } | undefined;
  let working: Promise<void> = Promise.resolve();

  const syncOne = async (group: string, version: string, signal: AbortSignal) => {
    if (definitions.serves(group, version)) {
      return unlessOvertaken(client.create(apiService(group, version), { signal }));
    }
    const name = nameOf(group, version);
    const there = await client.find({ name }, signal);
    if (there?.metadata.labels?.[managedLabel] !== 'true') return;
    await client.delete({ name }, { signal }).catch((error: unknown) => {
      if (!hasReason(error, 'NotFound')) throw error;
    });
  };
  const sync = (versions: Iterable<readonly [string, string]>, signal: AbortSignal) => {
    working = working.then(async () => {
      try {
        for (const [group, version] of versions) await syncOne(group, version, signal);
      } catch (error) {
        if (!signal.aborted) log.warn('what is served could not be listed as APIServices', { error });
      }
    });
    return working;
  };
  return {
    name: 'register-api-services',
    async start(signal) {
      following = definitions.onChange(({ added, removed }) => void sync(versionsOf([...added, ...removed]), signal));
      const { items } = await client.list({ signal }).catch((error: unknown) => {
        if (!signal.aborted) log.warn('APIServices could not be read', { error });
        return { items: [] as readonly KubeObject[] };
      });
      const there = new Set(items.map(({ metadata }) => metadata.name));
      const served = versionsOf(definitions.all());
      await sync(
        served.filter(([group, version]) => !there.has(nameOf(group, version))),
        signal,
      );
    },
    async stop() {
      following?.close();
      await working;
    },
  };
}

/** Groups and versions, each once; that of APIServices themselves is the one that nobody has to be told of. */
function versionsOf(definitions: Iterable<{ readonly group: string; readonly version: string }>) {
  const all = new Map<string, readonly [string, string]>();
  for (const { group, version } of definitions) {
    if (group !== apiServices.group) all.set(nameOf(group, version), [group, version]);
  }
  return [...all.values()];
}

function nameOf(group: string, version: string): string {
  return `${version}.${group}`;
}

function apiService(group: string, version: string): KubeObject {
  const ours = groupPriorities.get(group);
  const priorities =
    ours === undefined
      ? { groupPriorityMinimum: customPriority.group, versionPriority: customPriority.version }
      : { groupPriorityMinimum: ours, versionPriority: versionPriority(group, version) };
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: nameOf(group, version), labels: { [managedLabel]: ours === undefined ? 'true' : 'onstart' } },
    spec: { group, version, ...priorities },
  };
}
