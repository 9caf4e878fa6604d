import { balloonCrds, type NodeSize } from '@slipway/balloons';
import { type Feature, featureCrds, type ServerLiveness, serverProblem, serverRemedy } from '@slipway/features';
import { nextStepOf } from '@slipway/features/views';
import { findCondition, isConditionTrue, type KubeObject, type Lease } from '@slipway/kube';
import { pullCrds } from '@slipway/node-agent/install';
import { nameOf } from '../../installation/cluster-objects.js';
import { formatDuration } from '../../output/duration.js';
import type { Finding } from '../../runtime/finding.js';
import type { ClusterFacts, Read } from './cluster-facts.js';

/** More than leases and certificates bear. */
const maxSkewMs = 10_000;

type Check = (facts: ClusterFacts) => readonly Finding[];

/** Everything that keeps Slipway from doing its work on a cluster, and what is all right. */
export function checkCluster(facts: ClusterFacts): readonly Finding[] {
  return checks.flatMap((check) => check(facts));
}

/** Findings about what was read; one that says why nothing is known when it was not. */
function about<T>(check: string, read: Read<T>, judge: (value: T) => readonly Finding[]): readonly Finding[] {
  if ('value' in read) return judge(read.value);
  return [{ check, result: 'unknown', message: read.problem, fix: 'run it with the rights of an administrator' }];
}

const kubernetes: Check = ({ version }) =>
  about('kubernetes', version, (value) => [{ check: 'kubernetes', result: 'ok', message: value }]);

const clock: Check = ({ aheadMs }) => {
  const skew = formatDuration(Math.round(Math.abs(aheadMs) / 1_000) * 1_000);
  if (Math.abs(aheadMs) <= maxSkewMs) return [{ check: 'clock', result: 'ok', message: `differs by ${skew}` }];
  const message = `the API server is ${skew} ${aheadMs > 0 ? 'ahead of' : 'behind'} this machine`;
  return [{ check: 'clock', result: 'problem', message, fix: 'synchronize both clocks, with NTP for example' }];
};

const parts = [
  { part: 'features', crds: featureCrds() },
  { part: 'node-agent', crds: pullCrds() },
  { part: 'balloons', crds: balloonCrds() },
] as const;

const kinds: Check = ({ definitions }) =>
  parts.flatMap(({ part, crds }) => {
    const check = `kinds of ${part}`;
    const fix = `slipway install --only ${part}`;
    return about(check, definitions, (stored) => {
      const found = crds.map(({ metadata }) => stored.find((one) => one.metadata.name === metadata.name));
      if (found.every((one) => one === undefined)) return [{ check, result: 'note', message: 'not installed', fix }];
      const wrong = crds.filter((_, index) => !isEstablished(found[index])).map(({ metadata }) => metadata.name);
      if (wrong.length === 0) return [{ check, result: 'ok', message: `${crds.length} kinds are served` }];
      return [{ check, result: 'problem', message: `not served: ${wrong.join(', ')}`, fix }];
    });
  });

function isEstablished(definition: KubeObject | undefined): boolean {
  return isConditionTrue(definition?.status?.conditions, 'Established');
}

const processes: Check = ({ workloads }) =>
  about('processes', workloads, (all) => {
    if (all.length === 0) {
      const message = 'none is installed; they may run beside the cluster, by slipway run';
      return [{ check: 'processes', result: 'note', message }];
    }
    return all.map((workload): Finding => {
      const check = nameOf(workload);
      const { wanted, available } = replicasOf(workload);
      const message = `${available} of ${wanted} available`;
      if (available >= wanted) return { check, result: 'ok', message };
      const { name, namespace } = workload.metadata;
      const why = findCondition(workload.status?.conditions, 'Available')?.message;
      return {
        check,
        result: 'problem',
        message: why === undefined ? message : `${message}: ${why}`,
        fix: `kubectl -n ${namespace} describe ${workload.kind.toLowerCase()} ${name}, and its pods`,
      };
    });
  });

function replicasOf({ kind, spec, status }: KubeObject): { readonly wanted: number; readonly available: number } {
  return kind === 'DaemonSet'
    ? { wanted: status?.desiredNumberScheduled ?? 0, available: status?.numberAvailable ?? 0 }
    : { wanted: spec?.replicas ?? 1, available: status?.availableReplicas ?? 0 };
}

const featureServer: Check = ({ servers, features }) =>
  about('feature server', servers, (liveness) => {
    const check = 'feature server';
    const problem = serverProblem(liveness);
    const isNeeded = !('value' in features) || features.value.length > 0;
    if (problem === undefined) return [{ check, result: 'ok', message: liveness.kind }];
    return [{ check, result: isNeeded ? 'problem' : 'note', message: problem, fix: serverRemedy }];
  });

const authors: Check = ({ authorProblem, features }) =>
  about('authors', authorProblem, (problem) => {
    const check = 'authors';
    if (problem === undefined)
      return [{ check, result: 'ok', message: 'the policy that vouches for them is in force' }];
    const isNeeded = 'value' in features && features.value.length > 0;
    const [message = '', fix] = problem.split('; to install it: ');
    return [{ check, result: isNeeded ? 'problem' : 'note', message, fix }];
  });

const featuresNeedAction: Check = ({ features, servers }) =>
  about('features', features, (all) => {
    const liveness: ServerLiveness = 'value' in servers ? servers.value : { kind: 'unknown' };
    // That no server acts is said once.
    const acting: ServerLiveness = serverProblem(liveness) === undefined ? liveness : { kind: 'unknown' };
    const found = all.flatMap((feature) => needOf(feature, acting));
    if (found.length > 0) return found;
    return [{ check: 'features', result: 'ok', message: `${all.length}, and none needs a person` }];
  });

function needOf(feature: Feature, servers: ServerLiveness): readonly Finding[] {
  const { sentence, fix } = nextStepOf(feature, servers);
  if (fix === undefined) return [];
  const { conditions } = feature.status ?? {};
  // Processes that have not reported yet may be about to, or may not be meant to run.
  const isEarly =
    findCondition(conditions, 'Progressing')?.reason === 'AwaitingEvidence' && !isConditionTrue(conditions, 'Blocked');
  const check = `feature ${feature.metadata.name}`;
  return [{ check, result: isEarly ? 'note' : 'problem', message: sentence, fix }];
}

const balloonController: Check = ({ balloonLeases, sizes, nowMs }) =>
  about('balloon controller', balloonLeases, ([lease]) => {
    const check = 'balloon controller';
    const all = 'value' in sizes ? sizes.value : [];
    if (!lease) {
      // One that shares a process with the cluster has no lease.
      if (!all.some(isUnseen)) return [];
      return [{ check, result: 'problem', message: 'none has run', fix: 'slipway install --only balloons' }];
    }
    const silentMs = nowMs - Date.parse(lease.spec.renewTime ?? '');
    if (isHeld(lease) && silentMs <= 1_000 * (lease.spec.leaseDurationSeconds ?? 15)) {
      return [{ check, result: 'ok', message: `${lease.spec.holderIdentity} leads` }];
    }
    const message = `none has run for ${formatDuration(Math.round(silentMs / 1_000) * 1_000)}`;
    const fix = `kubectl -n ${lease.metadata.namespace} get pods, and see to slipway-balloon-controller`;
    return [{ check, result: all.length > 0 ? 'problem' : 'note', message, fix }];
  });

/** Whether no controller has looked at the newest spec. */
function isUnseen({ metadata, status }: NodeSize): boolean {
  return (status?.observedGeneration ?? 0) < (metadata.generation ?? 0);
}

function isHeld({ spec }: Lease): boolean {
  return (spec.holderIdentity ?? '') !== '';
}

const nodeSizes: Check = ({ sizes }) =>
  about('node sizes', sizes, (all) => {
    const found = all.flatMap(sizeProblem);
    return found.length > 0 || all.length === 0
      ? found
      : [{ check: 'node sizes', result: 'ok', message: `${all.length}, and each node has the size that it should` }];
  });

function sizeProblem({ metadata, status }: NodeSize): readonly Finding[] {
  const { conditions } = status ?? {};
  const degraded = findCondition(conditions, 'Degraded');
  const ready = findCondition(conditions, 'Ready');
  const wrong = degraded?.status === 'True' ? degraded : ready?.status === 'True' ? undefined : ready;
  if (!wrong) return [];
  const { name = '' } = metadata;
  const fix = `slipway node explain ${name}`;
  return [{ check: `node ${name}`, result: status?.resize ? 'note' : 'problem', message: wrong.message, fix }];
}

const checks: readonly Check[] = [
  kubernetes,
  clock,
  kinds,
  processes,
  featureServer,
  authors,
  featuresNeedAction,
  balloonController,
  nodeSizes,
];
