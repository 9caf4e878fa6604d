import { CustomResourceDefinition, findCondition, type KubeObject } from '@slipway/kube';
import type { Feature, TaskArgs } from '../api/feature.js';
import { labels, serverManager } from '../api/group.js';
import { danglingObjects } from '../references/dangling-objects.js';
import type { Task } from './task.js';
import { argumentProblems } from './task-arguments.js';

/** The CustomResourceDefinition to be there, as its manifest has it. */
export interface InstallCrdArgs {
  readonly crd: KubeObject;
}

interface Version {
  readonly name: string;
  readonly storage?: boolean;
}

/**
 * Makes a CRD that the feature brings along, or brings it to this version, and waits
 * until it is served. It never takes over one that another client owns, nor stops
 * storing a version that objects may be stored in.
 */
export const installCrd: Task = {
  kind: 'InstallCRD',
  check: checkArguments,
  async run({ kube, feature, task, signal }) {
    const { crd } = task.args as unknown as InstallCrdArgs;
    const client = kube.resource(CustomResourceDefinition);
    const name = crd.metadata.name ?? '';
    const stored = (await client.find({ name }, signal)) as KubeObject | undefined;
    if (stored && stored.metadata.labels?.[labels.ownedBy] !== ownerOf(feature)) {
      const message = `the CRD ${name} exists and has another owner: it has no label ${labels.ownedBy}=${ownerOf(feature)}`;
      return { kind: 'blocked', reason: 'NotOurs', message };
    }
    const given: readonly string[] = stored?.status?.storedVersions ?? [];
    const offered = versionsOf(crd).map((version) => version.name);
    const lost = given.filter((version) => !offered.includes(version));
    if (lost.length > 0) {
      const message = `objects of ${name} may be stored in ${lost.join(', ')}, which the new CRD does not have; migrate the storage first`;
      return { kind: 'blocked', reason: 'StoredVersions', message };
    }
    const metadata = { ...crd.metadata, name, labels: { ...crd.metadata.labels, [labels.ownedBy]: ownerOf(feature) } };
    const applied = await client.apply(
      { metadata, spec: crd.spec },
      { fieldManager: serverManager, force: true, signal },
    );
    const conditions = (applied as KubeObject).status?.conditions ?? [];
    const open = ['NamesAccepted', 'Established'].find((type) => findCondition(conditions, type)?.status !== 'True');
    if (!open) return { kind: 'done', objects: 1 };
    const message = findCondition(conditions, open)?.message || `the CRD ${name} is not ${open} yet`;
    return { kind: 'waiting', reason: 'NotEstablished', message, retryAfterMs: 500 };
  },
};

/** Removes a CRD that `InstallCRD` of the same feature made, once no object of it is left. */
export const removeCrd: Task = {
  kind: 'RemoveCRD',
  destructive: true,
  check: (args) => argumentProblems('RemoveCRD', args, { name: { type: 'text', required: true } }),
  async run({ kube, clock, feature, task, signal }) {
    const { name } = task.args as unknown as { readonly name: string };
    const client = kube.resource(CustomResourceDefinition);
    const stored = (await client.find({ name }, signal)) as KubeObject | undefined;
    if (!stored) return { kind: 'done', result: 'Skipped', objects: 0 };
    if (stored.metadata.labels?.[labels.ownedBy] !== ownerOf(feature)) {
      const message = `the CRD ${name} was not installed by ${feature.spec.gate}, so it is not removed`;
      return { kind: 'blocked', reason: 'NotOurs', message };
    }
    const { group, names } = stored.spec;
    const { resources } = await kube.discover(signal);
    const resource = resources.find((one) => one.group === group && one.plural === names.plural);
    const page = resource && (await kube.resource(resource).list({ limit: 1, signal }));
    if (resource && page && page.items.length > 0) {
      const count = page.items.length + (page.remaining ?? 0);
      const message = `${count} ${names.plural} are left, and removing the CRD would delete them`;
      const dangling = danglingObjects(resource, page.items, { count, nowMs: clock.now() });
      return { kind: 'blocked', reason: 'ObjectsRemain', message, retryAfterMs: 5_000, dangling };
    }
    const { uid } = stored.metadata;
    await client.delete({ name }, { ...(uid !== undefined && { preconditions: { uid } }), signal });
    return { kind: 'done', objects: 1 };
  },
};

function checkArguments(args: TaskArgs): readonly string[] {
  const problems = argumentProblems('InstallCRD', args, { crd: { type: 'object', required: true } });
  if (problems.length > 0) return problems;
  const { crd } = args as unknown as InstallCrdArgs;
  const stored = versionsOf(crd).filter(({ storage }) => storage);
  return [
    ...(crd.kind === 'CustomResourceDefinition' && crd.metadata?.name
      ? []
      : ['crd of InstallCRD is not a CustomResourceDefinition with a name']),
    ...(stored.length === 1 ? [] : ['crd of InstallCRD must store exactly one version']),
    // A definition never says where a server is to connect to.
    ...(crd.spec?.conversion?.strategy === 'Webhook'
      ? ['crd of InstallCRD names a conversion webhook; install such a CRD with its webhook']
      : []),
  ];
}

function versionsOf(crd: KubeObject): readonly Version[] {
  return Array.isArray(crd.spec?.versions) ? crd.spec.versions : [];
}

function ownerOf({ metadata: { namespace, name } }: Feature): string {
  return `${namespace}.${name}`;
}
