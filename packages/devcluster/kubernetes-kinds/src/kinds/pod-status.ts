import { invalidBecause } from '@slipway/api-machinery/errors/field-checks';
import { duplicate, type FieldError, forbidden, invalid } from '@slipway/api-machinery/errors/field-error';
import { qualifiedNameProblems, subdomainProblems } from '@slipway/api-machinery/errors/names';
import { minorOf } from '@slipway/api-machinery/schema/supported-versions';
import type { KubeObject } from '@slipway/kube';
import type { ContainerFields, PodSpecFields } from '@slipway/kube-objects/kinds/pod-spec';
import { legacyAddressErrors, legacyFamily } from '@slipway/kube-objects/rules/legacy-addresses';
import { allowsRestart } from '@slipway/kube-objects/rules/restart-policy';

interface StatusFields {
  qosClass?: string;
  nominatedNodeName?: string;
  observedGeneration?: number;
  conditions?: readonly { type: string; observedGeneration?: number }[];
  resourceClaimStatuses?: readonly { name: string; resourceClaimName?: string }[];
  extendedResourceClaimStatus?: object;
  containerStatuses?: readonly ContainerStatusFields[];
  initContainerStatuses?: readonly ContainerStatusFields[];
  ephemeralContainerStatuses?: readonly ContainerStatusFields[];
  podIP?: string;
  podIPs?: readonly { ip: string }[];
  hostIP?: string;
  hostIPs?: readonly { ip: string }[];
}

interface ContainerStatusFields {
  readonly name: string;
  readonly state?: { readonly terminated?: { readonly exitCode?: number } };
}

/** Fills in the list of addresses from the first one, or the first one from the list. In place. */
export function defaultPodStatus(status: StatusFields): void {
  const { podIP, podIPs = [] } = status;
  const [first] = podIPs;
  if (podIP && podIP !== first?.ip) status.podIPs = [{ ip: podIP }];
  else if (!podIP && first) status.podIP = first.ip;
}

/** Puts back what writers leave out that do not know of it, in place: the status of a pod keeps these fields. */
export function keepKnownStatus(pod: KubeObject, old: KubeObject): void {
  const status: StatusFields = pod.status ?? {};
  const before: StatusFields = old.status ?? {};
  status.qosClass ||= before.qosClass ?? '';
  if (status.qosClass === '') delete status.qosClass;
  if (!status.observedGeneration && before.observedGeneration) status.observedGeneration = before.observedGeneration;
  if (!status.resourceClaimStatuses && before.resourceClaimStatuses)
    status.resourceClaimStatuses = structuredClone(before.resourceClaimStatuses);
  if (!status.extendedResourceClaimStatus && before.extendedResourceClaimStatus)
    status.extendedResourceClaimStatus = structuredClone(before.extendedResourceClaimStatus);
  const left = [...(before.conditions ?? [])];
  for (const condition of status.conditions ?? []) {
    const at = left.findIndex(({ type }) => type === condition.type);
    const [known] = at < 0 ? [] : left.splice(at, 1);
    if (!condition.observedGeneration && known?.observedGeneration)
      condition.observedGeneration = known.observedGeneration;
  }
  pod.status = status;
}

/** Validates the status of a pod that is written to its subresource. */
export function validatePodStatus(pod: KubeObject, old: KubeObject, version: string): FieldError[] {
  const status: StatusFields = pod.status ?? {};
  const before: StatusFields = old.status ?? {};
  const spec: PodSpecFields = old.spec ?? {};
  return [
    ...validateConditions(status.conditions ?? []),
    ...validateNomination(status, before, Boolean(spec.nodeName) && minorOf(version) >= 35),
    ...validateGeneration(status.observedGeneration, 'status.observedGeneration'),
    ...(status.qosClass === before.qosClass
      ? []
      : [invalid('status.qosClass', status.qosClass ?? '', 'field is immutable')]),
    ...validateStates(status, before, spec, 'containerStatuses'),
    ...validateStates(status, before, spec, 'initContainerStatuses'),
    ...validateEphemeral(status, before),
    ...validateClaims(status.resourceClaimStatuses ?? [], spec),
    ...validateAddresses(status, before, 'podIP'),
    ...validateAddresses(status, before, 'hostIP'),
  ];
}

/** Types that are older than the rule that names have. */
const systemConditions: readonly string[] = ['PodScheduled', 'Ready', 'Initialized'];

function validateConditions(conditions: NonNullable<StatusFields['conditions']>): FieldError[] {
  return conditions.flatMap(({ type, observedGeneration }, index) => {
    const at = `status.conditions[${index}]`;
    const problems = systemConditions.includes(type) ? [] : qualifiedNameProblems(type);
    return [
      ...validateGeneration(observedGeneration, `${at}.observedGeneration`),
      ...invalidBecause(`${at}.Type`, type, problems),
    ];
  });
}

function validateGeneration(generation: number | undefined, at: string): FieldError[] {
  return (generation ?? 0) < 0 ? [invalid(at, generation, 'must be a non-negative integer')] : [];
}

function validateNomination(status: StatusFields, before: StatusFields, isBound: boolean): FieldError[] {
  const at = 'status.nominatedNodeName';
  const { nominatedNodeName = '' } = status;
  if (nominatedNodeName === '' || nominatedNodeName === before.nominatedNodeName) return [];
  const errors = invalidBecause(at, nominatedNodeName, subdomainProblems(nominatedNodeName));
  return isBound ? [...errors, forbidden(at, 'may not be set on pods that are already bound to a node')] : errors;
}

const noMore = 'may not be transitioned to non-terminated state';

/** A container that has ended runs again only if its pod has it restarted. */
function validateStates(
  status: StatusFields,
  before: StatusFields,
  spec: PodSpecFields,
  list: 'containerStatuses' | 'initContainerStatuses',
): FieldError[] {
  const all = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  if (all.some(restartsAll)) return [];
  const containers = (list === 'containerStatuses' ? spec.containers : spec.initContainers) ?? [];
  return endedAndBack(before[list] ?? [], status[list] ?? []).flatMap(({ name, exitCode, index }) => {
    const container = containers.find((one) => one.name === name);
    const isAllowed = container !== undefined && allowsRestart(spec, container, exitCode);
    return isAllowed ? [] : [forbidden(`status.${list}[${index}].state`, noMore)];
  });
}

function restartsAll({ restartPolicyRules }: ContainerFields): boolean {
  return (restartPolicyRules ?? []).some(({ action }) => action === 'RestartAllContainers');
}

function validateEphemeral(status: StatusFields, before: StatusFields): FieldError[] {
  const list = 'ephemeralContainerStatuses';
  return endedAndBack(before[list] ?? [], status[list] ?? []).map(({ index }) =>
    forbidden(`status.${list}[${index}].state`, noMore),
  );
}

/** Containers that had ended and no longer have, by where they were. */
function endedAndBack(before: readonly ContainerStatusFields[], now: readonly ContainerStatusFields[]) {
  return before.flatMap(({ name, state }, index) => {
    const is = state?.terminated && now.find((one) => one.name === name);
    return is && !is.state?.terminated ? [{ name, index, exitCode: state.terminated?.exitCode ?? 0 }] : [];
  });
}

function validateClaims(
  statuses: NonNullable<StatusFields['resourceClaimStatuses']>,
  spec: PodSpecFields,
): FieldError[] {
  const claims = new Set((spec.resourceClaims ?? []).map(({ name }) => name));
  return statuses.flatMap(({ name, resourceClaimName }, index) => {
    const at = `status.resourceClaimStatuses[${index}]`;
    const isKnown = claims.has(name);
    const isRepeated = statuses.findIndex((one) => one.name === name) < index;
    return [
      ...(isKnown ? [] : [invalid(`${at}.name`, name, 'must match the name of an entry in `spec.resourceClaims`')]),
      ...(isRepeated ? [duplicate(`${at}.name`, name)] : []),
      ...invalidBecause(
        `${at}.resourceClaimName`,
        resourceClaimName,
        resourceClaimName === undefined ? [] : subdomainProblems(resourceClaimName),
      ),
    ];
  });
}

/** One address of each family, of which the first one is named twice. */
function validateAddresses(status: StatusFields, before: StatusFields, name: 'podIP' | 'hostIP'): FieldError[] {
  const list = `${name}s` as const;
  const at = `status.${list}`;
  const addresses = (status[list] ?? []).map(({ ip }) => ip);
  const known = (before[list] ?? []).map(({ ip }) => ip);
  const [first] = addresses;
  const isFirst = first === undefined || status[name] === first;
  const other = isFirst ? [] : [invalid(`${at}[0].ip`, first, `must be equal to \`${name}\``)];
  const bad = addresses.flatMap((value, index) =>
    known.includes(value) ? [] : legacyAddressErrors({ field: `${at}[${index}]`, value, holds: 'address' }),
  );
  const families = new Set(addresses.map(legacyFamily));
  const isPair = addresses.length < 2 || (addresses.length === 2 && families.size === 2);
  const many = isPair ? [] : [invalid(at, status[list], 'may specify no more than one IP for each IP family')];
  return name === 'hostIP' ? [...other, ...bad, ...many] : [...bad, ...many, ...other];
}
