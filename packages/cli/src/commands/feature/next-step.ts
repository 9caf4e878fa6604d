import type { Feature, ProcessSample, Reason } from '@slipway/features';
import { findCondition } from '@slipway/kube';

/** A sentence about what comes next, and where a person is needed a line that says what to do. */
export function nextStep(feature: Feature): string {
  const [sentence, fix] = next(feature);
  return `Next: ${sentence}\n${fix === undefined ? '' : `To fix: ${fix}\n`}`;
}

function next(feature: Feature): readonly [sentence: string, fix?: string] {
  const { spec, status } = feature;
  const { transition, conditions, state = 'Unknown' } = status ?? {};
  const known = findCondition(conditions, 'Known');
  if (known?.status === 'False') {
    return [`nothing is done while this is so: ${known.message}`, `slipway feature uses ${spec.gate}`];
  }
  const blocked = findCondition(conditions, 'Blocked');
  if (blocked?.status === 'True') {
    return [`it waits for a person: ${blocked.message}`, fixOf(blocked.reason as Reason, feature)];
  }
  const [head, ...others] = transition?.tasks ?? [];
  if (head) {
    const then = others.length === 0 ? '' : `; then ${others.map(({ name }) => name).join(', ')}`;
    return [`${head.name}${head.message ? ` (${head.message})` : ''}${then}`];
  }
  const uses = findCondition(conditions, 'UsesConsistent');
  if (uses?.reason === 'Drift') {
    return [`nothing by itself: ${uses.message}, and it is ${state}`, `slipway feature uses ${spec.gate} --value old`];
  }
  if (uses?.reason === 'Waived') {
    return [`nothing; it is ${state} but for what was passed over: ${uses.message}`, passedOver(feature)];
  }
  if ((status?.dangling?.count ?? 0) > 0 && state === 'Off') {
    return ['nothing by itself: objects still use it', `slipway feature clean ${spec.gate} --dry-run`];
  }
  return [`nothing; it is ${state}`];
}

/** One command that looks at what is in the way, or removes it. */
function fixOf(reason: Reason, feature: Feature): string {
  const { gate } = feature.spec;
  const { name = '', namespace = '' } = feature.metadata;
  switch (reason) {
    case 'NeedsApproval':
      return `slipway feature approve ${gate}`;
    case 'Paused':
      return `slipway feature resume ${gate}`;
    case 'Stragglers':
      return straggler(feature);
    case 'ObjectsRemain':
    case 'Reappearing':
    case 'Refused':
      return object(feature);
    case 'Forbidden':
      return `slipway feature rbac ${gate} | kubectl apply -f -`;
    case 'Definition':
    case 'GuardRejected':
    case 'NoDefinition':
      return `kubectl -n ${namespace} edit featuredefinition ${name}`;
    default:
      return `slipway feature explain ${gate}`;
  }
}

/** About the first process that does not come along: let it be if it is away, else look at those that are like it. */
function straggler({ spec: { gate }, status }: Feature): string {
  const samples: readonly ProcessSample[] = status?.uses?.components.flatMap((component) => component.samples) ?? [];
  const away = samples.find(({ cause, waiver }) => cause === 'NodeDown' && waiver === undefined);
  if (!away) return `slipway feature uses ${gate} --value old`;
  const node = away.node ?? away.process;
  return `kubectl get node ${node}, then kubectl delete node ${node} or slipway feature waive ${gate} --node ${node} --reason "..." --for 7d`;
}

/** About the first process that was passed over: it should come back, or be gone for good. */
function passedOver({ spec: { gate }, status }: Feature): string {
  const samples: readonly ProcessSample[] = status?.uses?.components.flatMap((component) => component.samples) ?? [];
  const node = samples.find(({ cause }) => cause === 'NodeDown')?.node;
  return node === undefined
    ? `slipway feature uses ${gate} --value old`
    : `bring ${node} back, or kubectl delete node ${node}`;
}

function object({ spec: { gate }, status }: Feature): string {
  const sample = status?.dangling?.samples.find(({ via }) => via === 'Spec');
  if (!sample) return `slipway feature explain ${gate}`;
  const { resource, namespace, name } = sample;
  return `kubectl ${namespace === undefined ? '' : `-n ${namespace} `}edit ${resource} ${name}`;
}
