import { type Condition, findCondition } from '@slipway/kube';
import type { Reason } from '../api/conditions.js';
import type { Feature } from '../api/feature.js';
import { isUnseen, type ServerLiveness, serverProblem, serverRemedy } from '../leadership/server-liveness.js';
import { fixOf } from './reason-remedies.js';

/** What comes next for a feature. */
export interface NextStep {
  readonly sentence: string;
  /** What a person does, mostly a command to copy; absent where no action is needed. */
  readonly fix?: string | undefined;
}

/** Says what comes next for a feature, and what a person does where one is needed. */
export function nextStepOf(feature: Feature, servers: ServerLiveness): NextStep {
  const problem = serverProblem(servers);
  const [sentence, fix] = problem === undefined ? next(feature) : [problem, serverRemedy];
  return { sentence, fix };
}

function next(feature: Feature): readonly [sentence: string, fix?: string | undefined] {
  const { status } = feature;
  const { transition, maintenance, conditions, state = 'Unknown' } = status ?? {};
  if (isUnseen(feature)) return ['a feature server takes up the newest change of its spec'];
  const of = (type: string) => findCondition(conditions, type);
  const fix = ({ reason, message }: Condition) => fixOf(reason as Reason, feature, message);

  const blocked = of('Blocked');
  if (blocked?.status === 'True') return [`it waits for a user: ${blocked.message}`, fix(blocked)];
  const known = of('Known');
  if (known?.status === 'False') return [`nothing is done while this is so: ${known.message}`, fix(known)];
  const progressing = of('Progressing');
  if (progressing?.reason === 'AwaitingEvidence') return [`it ${progressing.message}`, fix(progressing)];
  const [head, ...others] = (transition ?? maintenance)?.tasks ?? [];
  if (head) {
    const then = others.length === 0 ? '' : `; then ${others.map(({ name }) => name).join(', ')}`;
    return [`${head.name}${head.message ? ` (${head.message})` : ''}${then}`];
  }
  const uses = of('UsesConsistent');
  if (uses?.reason === 'Waived') {
    return [`nothing; it is ${state} but for what was passed over: ${uses.message}`, fix(uses)];
  }
  const isReportedOnly = known?.reason === 'ReportedOnly';
  const inDoubt = [uses, of('UpgradeSafe'), of('DanglingReferences')].find(
    (condition) => condition && needsSomebody(condition.reason as Reason, feature) && !isReportedOnly,
  );
  return inDoubt
    ? [`nothing by itself: ${inDoubt.message}, and it is ${state}`, fix(inDoubt)]
    : [`nothing; it is ${state}`];
}

/** Whether a feature that nothing is done to is not as it should be. A scan that has not run yet needs no action. */
function needsSomebody(reason: Reason, { status }: Feature): boolean {
  return reason === 'NotScanned' ? status?.dangling?.note !== undefined : unsettling.has(reason);
}

const unsettling: ReadonlySet<Reason> = new Set([
  'Drift',
  'Conflict',
  'Silent',
  'NoEvidence',
  'PendingRestart',
  'Found',
  'KindsNotCovered',
]);
