import {
  Controller,
  controllerOf,
  errorMessage,
  type KubeObject,
  keyOf,
  type ObjectRef,
  type Reconciler,
  refOf,
  retryLostRaces,
} from '@slipway/kube';
import { isFinished, isTerminating, type Pod, type PodResourceClaim, pods } from '@slipway/kube-objects/kinds/api/pods';
import {
  type ResourceClaim,
  resourceClaims,
  resourceClaimTemplates,
} from '@slipway/kube-objects/kinds/api/resource-claims';
import {
  claimOfEntry,
  consumerOf,
  isReservedFor,
  namedClaims,
  notOwnedBy,
  podClaimAnnotation,
} from '@slipway/kube-objects/rules/pod-resource-claims';
import { RecordedClient } from '../workloads/recorded-client.js';
import type { WorkloadDeps } from '../workloads/workload-deps.js';
import { templateClaim } from './template-claim.js';

/** Owns `status.resourceClaimStatuses` of pods. */
const fieldManager = 'ResourceClaimController';

/** Makes the claims that pods want of templates, and reserves allocated claims for pods that got a node in another way than by the scheduler. */
export function podClaimsController(deps: WorkloadDeps): Controller {
  const all = deps.informers.informer(pods);
  all.addIndex(byClaim, claimKeys);
  all.addIndex(byTemplate, templateKeys);
  const using = (index: string) => (object: KubeObject) => all.lister.byIndex(index, keyOf(object)).map(refOf);
  return new Controller({
    ...deps,
    name: 'resource-claim-controller',
    component: 'resource_claim',
    for: pods,
    owns: [resourceClaims],
    watches: [
      { of: resourceClaims, map: using(byClaim) },
      { of: resourceClaimTemplates, map: using(byTemplate) },
    ],
    reconcile: retryLostRaces(podClaimsReconciler(deps)),
  });
}

const byClaim = 'resource-claim';
const byTemplate = 'resource-claim-template';
const byOwner = 'owner';

function claimKeys(pod: Pod): readonly string[] {
  return namedClaims(pod).map(({ name }) => keyOf({ metadata: { ...pod.metadata, name } }));
}

function templateKeys({ metadata, spec }: Pod): readonly string[] {
  const names = (spec.resourceClaims ?? []).flatMap(({ resourceClaimTemplateName: name }) => name ?? []);
  return names.map((name) => keyOf({ metadata: { ...metadata, name } }));
}

function ownerKey(claim: ResourceClaim): readonly string[] {
  return [controllerOf(claim)?.uid ?? ''];
}

function podClaimsReconciler({ kube, informers }: Omit<WorkloadDeps, 'log'>): Reconciler {
  const podLister = informers.informer(pods).lister;
  const templates = informers.informer(resourceClaimTemplates).lister;
  const claims = informers.informer(resourceClaims);
  claims.addIndex(byOwner, ownerKey);
  const known = new RecordedClient({ kube, informers }, resourceClaims);

  /** Finds the claim that was made for an entry, even if the pod does not name it yet. */
  const madeFor = (pod: Pod, entry: string) => {
    const { uid = '' } = pod.metadata;
    const owned = known.over(claims.lister.byIndex(byOwner, uid), (claim) => controllerOf(claim)?.uid === uid);
    return owned.find(({ metadata }) => metadata.annotations?.[podClaimAnnotation] === entry);
  };

  /** Returns the name of the claim of an entry that the status of the pod lacks; undefined if it lacks none. */
  async function missingName(pod: Pod, entry: PodResourceClaim, signal: AbortSignal): Promise<string | undefined> {
    const { namespace } = pod.metadata;
    const { resourceClaimTemplateName: template } = entry;
    const named = claimOfEntry(pod, entry);
    if (template === undefined || named === 'not-needed') return undefined;
    if (named !== 'not-made') {
      const claim =
        known.get({ namespace, name: named.name }) ??
        (await known.client.find({ namespace, name: named.name }, signal));
      if (claim && notOwnedBy(pod, claim) === undefined) return undefined;
    }
    const made = madeFor(pod, entry.name);
    if (made) return made.metadata.name;
    const found = templates.get({ namespace, name: template });
    if (!found) {
      const what = `resourceclaimtemplate.resource.k8s.io ${JSON.stringify(template)} not found`;
      throw new Error(`resource claim template ${JSON.stringify(template)}: ${what}`);
    }
    return (await known.create(templateClaim(pod, entry.name, found), signal)).metadata.name;
  }

  return async (ref, { signal, events }) => {
    const pod = podLister.get(ref);
    if (!pod?.spec.resourceClaims || isTerminating(pod) || isFinished(pod)) return;
    const made = new Map<string, string>();
    for (const entry of pod.spec.resourceClaims) {
      try {
        const name = await missingName(pod, entry, signal);
        if (name !== undefined) made.set(entry.name, name);
      } catch (error) {
        const message = `PodResourceClaim ${entry.name}: ${errorMessage(error)}`;
        events.event(pod, 'Warning', 'FailedResourceClaimCreation', message);
        throw error;
      }
    }
    if (made.size > 0)
      await kube.resource(pods).applyStatus(withClaims(pod, ref, made), { fieldManager, force: true, signal });
    if (pod.spec.nodeName) await reserveClaims(pod, signal);
  };

  async function reserveClaims(pod: Pod, signal: AbortSignal): Promise<void> {
    const { namespace } = pod.metadata;
    for (const { name, isOwn } of namedClaims(pod)) {
      const claim = claims.lister.get({ namespace, name });
      if (!claim) return;
      const problem = isOwn ? notOwnedBy(pod, claim) : undefined;
      if (problem !== undefined) throw new Error(problem);
      if (!claim.status?.allocation || isReservedFor(pod, claim)) continue;
      const reservedFor = [...(claim.status.reservedFor ?? []), consumerOf(pod)];
      await known.replaceStatus(claim, { ...claim.status, reservedFor }, signal);
    }
  }
}

/** Names those claims in the status of the pod, beside those that it names already. */
function withClaims(pod: Pod, { name, namespace }: ObjectRef, made: ReadonlyMap<string, string>) {
  const before = (pod.status?.resourceClaimStatuses ?? []).flatMap((status): [string, string][] =>
    status.resourceClaimName === undefined ? [] : [[status.name, status.resourceClaimName]],
  );
  const names = new Map([...before, ...made]);
  const resourceClaimStatuses = [...names]
    .map(([entry, resourceClaimName]) => ({ name: entry, resourceClaimName }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  return { metadata: { name, namespace }, status: { resourceClaimStatuses } };
}
