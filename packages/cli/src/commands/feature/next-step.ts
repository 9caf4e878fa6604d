import {
  type Feature,
  isUnseen,
  kubernetesNamespace,
  type ProcessSample,
  type Reason,
  type ServerLiveness,
  serverProblem,
  serverRemedy,
} from '@slipway/features';
import { findCondition } from '@slipway/kube';

/** A sentence about what comes next, and where a person is needed a line that says what to do. */
export function nextStep(feature: Feature, servers: ServerLiveness): string {
  const problem = serverProblem(servers);
  const [sentence, fix] = problem === undefined ? next(feature) : [problem, serverRemedy];
  return `Next: ${sentence}\n${fix === undefined ? '' : `To fix: ${fix}\n`}`;
}

function next(feature: Feature): readonly [sentence: string, fix?: string] {
  const { status } = feature;
  const { transition, maintenance, conditions, state = 'Unknown' } = status ?? {};
  if (isUnseen(feature)) return ['a feature server takes up the newest change of its spec'];
  const known = findCondition(conditions, 'Known');
  const blocked = findCondition(conditions, 'Blocked');
  if (blocked?.status === 'True') {
    return [`it waits for a person: ${blocked.message}`, fixOf(blocked.reason as Reason, feature)];
  }
  if (known?.status === 'False') {
    return [`nothing is done while this is so: ${known.message}`, fixOf(known.reason as Reason, feature)];
  }
  const progressing = findCondition(conditions, 'Progressing');
  if (progressing?.reason === 'AwaitingEvidence') return [`it ${progressing.message}`, command(feature, 'uses')];
  const [head, ...others] = (transition ?? maintenance)?.tasks ?? [];
  if (head) {
    const then = others.length === 0 ? '' : `; then ${others.map(({ name }) => name).join(', ')}`;
    return [`${head.name}${head.message ? ` (${head.message})` : ''}${then}`];
  }
  const uses = findCondition(conditions, 'UsesConsistent');
  if (uses?.reason === 'Drift') {
    return [`nothing by itself: ${uses.message}, and it is ${state}`, command(feature, 'uses', '--value old')];
  }
  if (uses?.reason === 'Waived') {
    return [`nothing; it is ${state} but for what was passed over: ${uses.message}`, passedOver(feature)];
  }
  const leaving = findCondition(conditions, 'UpgradeSafe');
  if (leaving?.reason === 'PendingRestart') return [`nothing by itself: ${leaving.message}`, keepValue(feature)];
  if ((status?.dangling?.count ?? 0) > 0 && state === 'Off') {
    return ['nothing by itself: objects still use it', command(feature, 'clean')];
  }
  return [`nothing; it is ${state}`];
}

/** One command that looks at what is in the way, or removes it. */
function fixOf(reason: Reason, feature: Feature): string {
  const { name = '', namespace = '' } = feature.metadata;
  switch (reason) {
    case 'NeedsApproval':
      return command(feature, 'approve');
    case 'Paused':
      return command(feature, 'resume');
    case 'NotSeen':
      return `create its FeatureDefinition again, or ${command(feature, 'retire', '--force')}`;
    case 'Locked':
    case 'NotDynamic':
    case 'DisableUnsupported':
    case 'CanaryUnsupported':
    case 'CanaryFailed':
      return `withdraw the request: ${edit(feature, `{"spec":{"desired":"Unmanaged","canary":null}}`)}`;
    case 'NoDefinition':
      return `create the FeatureDefinition ${name} in ${namespace}, or ${edit(feature, `{"spec":{"desired":"Unmanaged"}}`)}`;
    case 'NameCollision':
      return `rename one of the gates; kubectl -n ${namespace} get featurevectors -o yaml shows who reports which`;
    case 'Stragglers':
      return straggler(feature);
    case 'ObjectsRemain':
    case 'Reappearing':
    case 'Refused':
      return object(feature);
    case 'Forbidden':
      return `${command(feature, 'rbac')} | kubectl apply -f -`;
    case 'NotPermitted':
      return `give that user the right, or as a user who has it: ${command(feature, 'retry')}`;
    case 'Definition':
    case 'GuardRejected':
      return `kubectl -n ${namespace} edit featuredefinition ${name}`;
    default:
      return `see to what it says, then ${command(feature, 'retry')}`;
  }
}

function edit({ metadata: { name, namespace } }: Feature, patch: string): string {
  return `kubectl -n ${namespace} patch feature ${name} --type merge -p '${patch}'`;
}

/** About the first process that does not come along: let it be if it is away, else look at those that are like it. */
function straggler(feature: Feature): string {
  const away = samplesOf(feature).find(({ cause, waiver }) => cause === 'NodeDown' && waiver === undefined);
  if (!away) return command(feature, 'uses', '--value old');
  const node = away.node ?? away.process;
  const waive = command(feature, 'waive', `--node ${node} --reason "..." --for 7d`);
  return `kubectl get node ${node}, then kubectl delete node ${node} or ${waive}`;
}

/** Gives processes as their own the value that was only published to them, or publishes it again. */
function keepValue(feature: Feature): string {
  const { spec, status } = feature;
  const components = (status?.uses?.components ?? []).filter(({ pendingRestart = 0 }) => pendingRestart > 0);
  const flags = `set ${spec.gate}=${status?.state === 'On'} in the --feature-gates of ${components.map(({ name }) => name).join(' and ')}`;
  const again =
    status?.settable?.mode === 'Dynamic' ? command(feature, status.state === 'On' ? 'on' : 'off') : undefined;
  return again === undefined ? flags : `${flags}, or ${again}`;
}

/** About the first process that was passed over: it should come back, or be gone for good. */
function passedOver(feature: Feature): string {
  const node = samplesOf(feature).find(({ cause }) => cause === 'NodeDown')?.node;
  return node === undefined
    ? command(feature, 'uses', '--value old')
    : `bring ${node} back, or kubectl delete node ${node}`;
}

function samplesOf({ status }: Feature): readonly ProcessSample[] {
  return status?.uses?.components.flatMap((component) => component.samples) ?? [];
}

function object(feature: Feature): string {
  const sample = feature.status?.dangling?.samples.find(({ via }) => via === 'Spec');
  if (!sample) return command(feature, 'retry');
  const { resource, namespace, name } = sample;
  return `kubectl ${namespace === undefined ? '' : `-n ${namespace} `}edit ${resource} ${name}`;
}

/** A verb for this feature, wherever it is. Without a namespace commands look into that of Kubernetes first. */
function command({ spec: { gate }, metadata: { namespace } }: Feature, verb: string, options?: string): string {
  const where = namespace === kubernetesNamespace || verb === 'explain' ? [] : [`-n ${namespace}`];
  return ['slipway feature', verb, gate, ...where, ...(options === undefined ? [] : [options])].join(' ');
}
