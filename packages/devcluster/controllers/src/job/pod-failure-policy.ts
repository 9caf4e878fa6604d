import type { PodFailurePolicy } from '@slipway/kube-objects/kinds/api/jobs';
import type { ContainerStatus, Pod } from '@slipway/kube-objects/kinds/api/pods';

type Rule = PodFailurePolicy['rules'][number];

/** What the failure of a pod means to its job. */
export interface FailureJudgement {
  /** Whether it counts towards the limits. */
  readonly counts: boolean;
  readonly failsIndex: boolean;
  /** Why it fails the whole job, if it does. */
  readonly failsJob?: string;
}

const ordinary: FailureJudgement = { counts: true, failsIndex: false };

/** Judges a failed pod by the first rule that matches it; without one its failure simply counts. */
export function judgeFailure(policy: PodFailurePolicy | undefined, pod: Pod): FailureJudgement {
  for (const [index, rule] of policy?.rules.entries() ?? []) {
    const matched = rule.onExitCodes ? exitMatch(rule.onExitCodes, pod) : conditionMatch(rule.onPodConditions, pod);
    if (!matched) continue;
    if (rule.action === 'FailJob')
      return { ...ordinary, failsJob: `${matched} matching FailJob rule at index ${index}` };
    return { counts: rule.action !== 'Ignore', failsIndex: rule.action === 'FailIndex' };
  }
  return ordinary;
}

function exitMatch(wanted: NonNullable<Rule['onExitCodes']>, pod: Pod): string | undefined {
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
  const matches = ({ name, state }: ContainerStatus) => {
    const code = state.terminated?.exitCode ?? 0;
    const isMeant = wanted.containerName === undefined || wanted.containerName === name;
    return isMeant && code !== 0 && wanted.values.includes(code) === (wanted.operator === 'In');
  };
  const found = [...containerStatuses, ...initContainerStatuses].find(matches);
  const { namespace, name } = pod.metadata;
  return (
    found &&
    `Container ${found.name} for pod ${namespace}/${name} failed with exit code ${found.state.terminated?.exitCode}`
  );
}

function conditionMatch(wanted: Rule['onPodConditions'], pod: Pod): string | undefined {
  const found = pod.status?.conditions?.find(({ type, status }) =>
    wanted?.some((pattern) => pattern.type === type && (pattern.status ?? 'True') === status),
  );
  const { namespace, name } = pod.metadata;
  return found && `Pod ${namespace}/${name} has condition ${found.type}`;
}
