import type { DefinitionRegistry } from '@slipway/api-server/registry/definition-registry';
import { customPriority, groupPriorities, versionPriority } from '@slipway/api-server/registry/group-priorities';
import {
  Controller,
  hasReason,
  type Kube,
  type KubeObject,
  type Logger,
  Manager,
  type ObjectRef,
  type Reconciler,
  type Runnable,
  retryLostRaces,
  sameJson,
} from '@slipway/kube';
import { apiServices } from './api-services.js';
import { ignoreConflict } from './ignore-conflict.js';
import { startOrWarn } from './start-or-warn.js';

/** Says how long an APIService is kept up: seen to when a server starts (`onstart`), or always (`true`). */
const managedLabel = 'kube-aggregator.kubernetes.io/automanaged';

interface RegistrationDeps {
  readonly kube: Kube;
  readonly definitions: DefinitionRegistry;
  readonly log: Logger;
}

/**
 * Registers the groups of an API server as APIServices, like the autoregistration of Kubernetes: its own groups once at
 * start, so that a deleted one stays deleted until then, and those of custom kinds whenever they change. APIServices
 * without our label belong to others and are not changed.
 */
export function registerApiServices({ kube, definitions, log }: RegistrationDeps): Runnable {
  const manager = new Manager({ kube, log });
  const { lister } = manager.informers.informer(apiServices);
  const controller = new Controller({
    name: 'register-api-services',
    kube,
    log,
    informers: manager.informers,
    for: apiServices,
    reconcile: retryLostRaces(registration()),
  });
  manager.add(controller);
  let following: { close(): void } | undefined;
  return {
    name: 'register-api-services',
    async start(signal) {
      const look = (served: Iterable<Served>) => {
        for (const ref of refsOf(served)) controller.enqueue(ref);
      };
      following = definitions.onChange(({ added, removed }) => look([...added, ...removed]));
      look(definitions.all());
      await startOrWarn(manager, log, signal, 'what is served is not listed as APIServices');
    },
    async stop() {
      following?.close();
      await manager.stop();
    },
  };

  /** One APIService: made, put right or taken away; those of our own groups once in the life of this server. */
  function registration(): Reconciler {
    const client = kube.resource(apiServices);
    let atStart: ReadonlySet<string> | undefined;
    const seenTo = new Set<string>();
    return async ({ name }, { signal }) => {
      atStart ??= new Set(lister.list().map(({ metadata }) => metadata.name ?? ''));
      const wanted = wantedFor(name, definitions);
      const isDone = seenTo.has(name) && labelOf(wanted) === 'onstart';
      if (isDone) return;
      const there = lister.get({ name });
      if (!there) {
        if (wanted) await ignoreConflict(client.create(wanted, { signal }));
      } else if (labelOf(there) === 'true' || (labelOf(there) === 'onstart' && atStart.has(name))) {
        await settle(there, wanted, signal);
      }
      seenTo.add(name);
    };

    async function settle(there: KubeObject, wanted: KubeObject | undefined, signal: AbortSignal): Promise<void> {
      if (wanted && sameJson(there.spec, wanted.spec)) return;
      if (wanted) {
        await client.replace({ ...there, spec: wanted.spec }, { signal });
        return;
      }
      const { name = '', uid = '' } = there.metadata;
      await client.delete({ name }, { preconditions: { uid }, signal }).catch((error: unknown) => {
        if (!hasReason(error, 'NotFound')) throw error;
      });
    }
  }
}

type Served = { readonly group: string; readonly version: string };

/** Groups and versions, each once, except that of APIServices themselves. */
function refsOf(served: Iterable<Served>): readonly ObjectRef[] {
  const names = new Set<string>();
  for (const { group, version } of served) if (group !== apiServices.group) names.add(`${version}.${group}`);
  return [...names].map((name) => ({ name }));
}

function labelOf(service: KubeObject | undefined): string | undefined {
  return service?.metadata.labels?.[managedLabel];
}

/** The APIService of a group and version, undefined when it is not served here. */
function wantedFor(name: string, definitions: DefinitionRegistry): KubeObject | undefined {
  const dot = name.indexOf('.');
  const [version, group] = [name.slice(0, dot), name.slice(dot + 1)];
  if (group === apiServices.group) return undefined;
  const served = definitions.all().filter((each) => each.group === group && each.version === version);
  if (served.length === 0) return undefined;
  const ours = groupPriorities.get(group);
  const priorities =
    ours === undefined
      ? { groupPriorityMinimum: customPriority.group, versionPriority: customPriority.version }
      : { groupPriorityMinimum: ours, versionPriority: versionPriority(group, version) };
  const isCustom = served.every(({ origin }) => origin === 'custom');
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name, labels: { [managedLabel]: isCustom ? 'true' : 'onstart' } },
    spec: { ...(group !== '' && { group }), version, ...priorities },
  };
}
