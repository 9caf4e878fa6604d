import { controllerOf, type Kube, type KubeObject, type ResourceRef } from '@slipway/kube';
import { type DaemonSet, daemonSets } from '@slipway/kube-objects/kinds/api/daemon-sets';
import { podDisruptionBudgets } from '@slipway/kube-objects/kinds/api/disruption-budgets';
import { type Job, jobs } from '@slipway/kube-objects/kinds/api/jobs';
import { isActive, isFinished, isReady, isTerminating, type Pod, pods } from '@slipway/kube-objects/kinds/api/pods';
import { resourceQuotas } from '@slipway/kube-objects/kinds/api/resource-quotas';
import { endpointSlices, endpoints } from '@slipway/kube-objects/kinds/api/services';
import { persistentVolumeClaims } from '@slipway/kube-objects/kinds/api/volumes';
import {
  controllerRevisions,
  type Deployment,
  deployments,
  replicaSets,
  type StatefulSet,
  statefulSets,
} from '@slipway/kube-objects/kinds/api/workloads';
import { isTracked } from '../../job/count-pods.js';
import { holding, isOver } from '../../job/job-conditions.js';
import { ordinalOf, revisionOfPod } from '../../stateful-set/identity.js';
import { type JobKind, jobKinds } from './objects.js';

/** Lists what has not settled although nothing happens any more; empty when everything has. */
export async function unsettled(kube: Kube): Promise<readonly string[]> {
  const list = async <T extends KubeObject>(of: ResourceRef<T>) => (await kube.resource(of).list()).items;
  const allPods = await list(pods);
  const own = (app: string) => allPods.filter((pod) => isActive(pod) && pod.metadata.labels?.app === app);
  const story = (await list(jobs)).filter(({ metadata }) => metadata.labels?.kind);
  const sets = await list(replicaSets);
  return [
    ...(await list(deployments)).flatMap((each) => ofDeployment(each, own(each.metadata.name ?? ''))),
    ...(sets.filter((set) => controllerOf(set)?.name === 'web').length > 3 ? ['web keeps too much history'] : []),
    ...(await list(statefulSets)).flatMap((each) => ofStatefulSet(each, own(each.metadata.name ?? ''))),
    ...(await list(daemonSets)).flatMap((each) => ofDaemonSet(each, own(each.metadata.name ?? ''))),
    ...story.flatMap((job) => ofJob(job, allPods)),
    ...allPods.filter(isTerminating).map(({ metadata, spec, status }) => {
      const how = `${status?.phase} on ${spec.nodeName}, held by [${metadata.finalizers ?? ''}]`;
      return `${metadata.name} does not go: ${how}`;
    }),
    ...(await ofClaims(kube, own('db'))),
    ...(await ofHistory(kube, own('db'))),
    ...(await ofService(kube, own('web'))),
    ...(await ofBudgetsAndQuotas(kube, allPods)),
  ];
}

function ofDeployment({ metadata, spec, status }: Deployment, own: readonly Pod[]): string[] {
  const { name } = metadata;
  if (name === 'many') {
    const isRefused = status?.conditions?.some(
      ({ type, reason }) => type === 'ReplicaFailure' && reason === 'FailedCreate',
    );
    return own.length === 3 && isRefused ? [] : [`many has ${own.length} pods; refused: ${isRefused}`];
  }
  const { replicas } = spec;
  const { updatedReplicas = 0, availableReplicas = 0, replicas: all = 0, observedGeneration } = status ?? {};
  const isDone = [updatedReplicas, availableReplicas, all, own.length].every((count) => count === replicas);
  const wanted = spec.template.metadata?.annotations?.step;
  const isCurrent = own.every((pod) => pod.metadata.annotations?.step === wanted && isReady(pod));
  const progress = status?.conditions?.find(({ type }) => type === 'Progressing')?.reason;
  const isTold = progress === 'NewReplicaSetAvailable' && observedGeneration === metadata.generation;
  return isDone && isCurrent && isTold ? [] : [`${name}: ${JSON.stringify(status)}, ${own.length} pods`];
}

function ofStatefulSet(set: StatefulSet, own: readonly Pod[]): string[] {
  const { metadata, spec, status } = set;
  const partition = spec.updateStrategy?.rollingUpdate?.partition ?? 0;
  const ordinals = own.map((pod) => ordinalOf(set, pod) ?? -1).sort();
  const isWhole = ordinals.join() === Array.from({ length: spec.replicas }, (_, index) => index).join();
  const isCurrent = own.every(
    (pod) => isReady(pod) && ((ordinalOf(set, pod) ?? 0) < partition || revisionOfPod(pod) === status?.updateRevision),
  );
  const isTold = (status?.readyReplicas ?? 0) === spec.replicas && status?.observedGeneration === metadata.generation;
  return isWhole && isCurrent && isTold ? [] : [`${metadata.name}: ${JSON.stringify(status)}, ordinals ${ordinals}`];
}

function ofDaemonSet({ metadata, spec, status }: DaemonSet, own: readonly Pod[]): string[] {
  const { desiredNumberScheduled, currentNumberScheduled, numberReady, updatedNumberScheduled, numberAvailable } =
    status ?? {};
  const counts = [desiredNumberScheduled, currentNumberScheduled, numberReady, updatedNumberScheduled, numberAvailable];
  const wanted = spec.template.metadata?.annotations?.step;
  const isCurrent = own.every((pod) => pod.metadata.annotations?.step === wanted);
  const isOnePerNode = new Set(own.map(({ spec: { nodeName } }) => nodeName)).size === 3 && own.length === 3;
  return counts.every((count) => count === 3) && isCurrent && isOnePerNode
    ? []
    : [`${metadata.name}: ${JSON.stringify(status)}, ${own.length} pods`];
}

function ofJob(job: Job, all: readonly Pod[]): string[] {
  const { name, uid, labels } = job.metadata;
  if (!isOver(job)) return [`${name} (${labels?.kind}) is not over: ${JSON.stringify(job.status)}`];
  const { ends, spec } = jobKinds[(labels?.kind ?? '') as JobKind];
  const own = all.filter((pod) => controllerOf(pod)?.uid === uid);
  const end = (['Complete', 'Failed'] as const).find((type) => holding(job, type));
  const completions = 'completions' in spec ? spec.completions : 1;
  const { succeeded = 0, active = 0, ready = 0, terminating = 0 } = job.status ?? {};
  const isCounted = end === 'Failed' || labels?.kind === 'early' || succeeded === completions;
  const isStill = active + ready + terminating === 0 && !own.some((pod) => !isFinished(pod) || isTracked(pod));
  const isRight = (ends as readonly (string | undefined)[]).includes(end) && isCounted && isStill;
  return isRight ? [] : [`${name} (${labels?.kind}) ended as ${end}: ${JSON.stringify(job.status)}`];
}

/**
 * Every pod has its claim. Those of ordinals that are scaled away go with their pods; where there was none at the time, they
 * stay until the set goes.
 */
async function ofClaims(kube: Kube, db: readonly Pod[]): Promise<string[]> {
  const claims = (await kube.resource(persistentVolumeClaims).list()).items;
  const wanted = db.map(({ metadata }) => `data-${metadata.name}`);
  const bound = claims.filter(({ status }) => status?.phase === 'Bound').map(({ metadata }) => metadata.name);
  const isOfSet = (claim: KubeObject) => claim.metadata.ownerReferences?.every(({ kind }) => kind === 'StatefulSet');
  const stray = claims.filter((claim) => !wanted.includes(claim.metadata.name ?? '') && !isOfSet(claim));
  const lacking = wanted.filter((name) => !bound.includes(name));
  return [...lacking.map((name) => `${name} is not bound`), ...stray.map(({ metadata }) => `${metadata.name} is left`)];
}

async function ofHistory(kube: Kube, db: readonly Pod[]): Promise<string[]> {
  const kept = (await kube.resource(controllerRevisions).list()).items.filter(
    (each) => controllerOf(each)?.name === 'db',
  );
  const { status } = await kube.resource(statefulSets).get({ namespace: 'default', name: 'db' });
  const live = new Set([status?.currentRevision, status?.updateRevision, ...db.map(revisionOfPod)]);
  // Two that are not in use. Behind a partition pods may be of others than the current and the updated one.
  return kept.length <= 2 + live.size ? [] : [`db keeps ${kept.length} revisions, ${live.size} in use`];
}

async function ofService(kube: Kube, web: readonly Pod[]): Promise<string[]> {
  const wanted = web
    .filter(isReady)
    .map(({ status }) => status?.podIP ?? '')
    .sort()
    .join();
  const slices = (
    await kube.resource(endpointSlices).list({ namespace: 'default', labelSelector: 'kubernetes.io/service-name=web' })
  ).items;
  const ready = slices.flatMap((slice) => slice.endpoints ?? []).filter(({ conditions }) => conditions?.ready);
  const inSlices = ready
    .flatMap(({ addresses }) => addresses)
    .sort()
    .join();
  const { subsets = [] } = await kube.resource(endpoints).get({ namespace: 'default', name: 'web' });
  const inEndpoints = subsets
    .flatMap(({ addresses = [] }) => addresses.map(({ ip }) => ip))
    .sort()
    .join();
  return inSlices === wanted && inEndpoints === wanted
    ? []
    : [`web is at ${wanted}; slices ${inSlices}; endpoints ${inEndpoints}`];
}

async function ofBudgetsAndQuotas(kube: Kube, all: readonly Pod[]): Promise<string[]> {
  const { status: shop } = await kube.resource(podDisruptionBudgets).get({ namespace: 'default', name: 'shop' });
  const budget = [shop?.currentHealthy, shop?.desiredHealthy, shop?.disruptionsAllowed, shop?.expectedPods].join();
  const { status: few } = await kube.resource(resourceQuotas).get({ namespace: 'small', name: 'few' });
  const used = all.filter((pod) => pod.metadata.namespace === 'small' && !isFinished(pod)).length;
  return [
    ...(budget === '4,2,2,4' ? [] : [`the budget of shop says ${budget}`]),
    ...(few?.used?.pods === String(used) ? [] : [`the quota says ${few?.used?.pods} of ${used}`]),
  ];
}

/** Lists the objects that have or had an owner and remain after every workload was deleted. */
export async function leftBehind(kube: Kube): Promise<readonly string[]> {
  const all: readonly ResourceRef[] = [
    pods,
    replicaSets,
    controllerRevisions,
    jobs,
    persistentVolumeClaims,
    endpointSlices,
  ];
  const lists = await Promise.all(all.map((of) => kube.resource(of).list()));
  const items = lists.flatMap((page) => page.items).filter(({ metadata }) => metadata.ownerReferences?.length);
  return items.map(({ kind, metadata }) => {
    const { name, deletionTimestamp = 'never asked to go', finalizers = [] } = metadata;
    return `${kind} ${name}: ${deletionTimestamp}, held by [${finalizers}]`;
  });
}
