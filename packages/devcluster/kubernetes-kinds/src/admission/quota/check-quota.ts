import type { Attributes } from '@slipway/api-server/attributes/admission';
import {
  addQuantity,
  compareQuantity,
  formatQuantity,
  type KubeObject,
  parseQuantity,
  type Quantity,
  subtractQuantity,
  zeroQuantity,
} from '@slipway/kube';
import type { QuotaSpec } from '@slipway/kube-objects/kinds/api/resource-quotas';
import type { ResourceList } from '@slipway/kube-objects/kinds/resource-list';
import type { ContainerFields } from '@slipway/kube-objects/rules/pod-amounts';
import { isInScopes, isTerminating, requirementsOf } from '@slipway/kube-objects/rules/scopes';
import { namesFor, type Usage, usageOf } from '@slipway/kube-objects/rules/usage';

/** A ResourceQuota. */
export interface Quota {
  readonly name: string;
  readonly spec: QuotaSpec;
  readonly status: {
    /** What is enforced, which is what the spec said when usage was last counted. */
    readonly hard?: ResourceList;
    readonly used?: ResourceList;
  };
}

/** What a quota says to a request: nothing, no (with the reason), or what will be used then. */
export type Charge = undefined | { readonly refused: string } | { readonly used: ResourceList };

/** Whether a request can use more than what it found of anything that quotas limit. */
export function mayCharge({ operation, resource, subresource, object, old }: Attributes): boolean {
  if (operation === 'DELETE' || !object || isIgnored(resource)) return false;
  if (resource.group !== '') return operation === 'CREATE' && subresource === '';
  switch (resource.plural) {
    case 'pods':
      if (subresource === 'resize') return operation === 'UPDATE';
      return subresource === '' && (operation === 'CREATE' || isTerminating(old?.spec) !== isTerminating(object.spec));
    case 'services':
    case 'persistentvolumeclaims':
      return subresource === '';
    default:
      return operation === 'CREATE' && subresource === '';
  }
}

function isIgnored({ group, plural }: Attributes['resource']): boolean {
  return plural === 'events' && (group === '' || group === 'events.k8s.io');
}

/** Checks a request against one quota. */
export function checkQuota(quota: Quota, request: Attributes, nowMs: number): Charge {
  const { resource, object, old } = request;
  const { hard = {}, used = {} } = quota.status;
  const names = namesFor(resource, Object.keys(hard));
  if (!object || names.length === 0 || !isAbout(quota, resource, object)) return undefined;
  const missing = isPods(resource) ? missingAmounts(object, names) : undefined;
  if (missing) return { refused: `failed quota: ${quota.name}: must specify ${missing}` };
  const unknown = names.filter((name) => used[name] === undefined);
  if (unknown.length > 0) {
    return { refused: `status unknown for quota: ${quota.name}, resources: ${[...names].sort().join(',')}` };
  }
  const before = old && isAbout(quota, resource, old) ? usageOf(resource, old, nowMs) : new Map();
  const requested = increase(usageOf(resource, object, nowMs), before, names);
  if (requested.size === 0) return undefined;
  const exceeded = [...requested]
    .filter(([name, amount]) => isTooMuch(used[name], amount, hard[name]))
    .map(([name]) => name);
  if (exceeded.length > 0) return { refused: exceededText(quota, requested, exceeded) };
  const next = [...requested].map(([name, amount]) => [name, formatQuantity(sum(used[name], amount))] as const);
  return { used: { ...used, ...Object.fromEntries(next) } };
}

/** Only pods are told apart by scopes; a quota with scopes is about nothing else. */
function isAbout(quota: Quota, resource: Attributes['resource'], object: KubeObject): boolean {
  return isPods(resource) ? isInScopes(quota.spec, object) : requirementsOf(quota.spec).length === 0;
}

function isPods({ group, plural }: Attributes['resource']): boolean {
  return group === '' && plural === 'pods';
}

/** What is used more than before. Less is noticed when usage is next counted. */
function increase(after: Usage, before: Usage, names: readonly string[]): Usage {
  const more = new Map<string, Quantity>();
  for (const [name, amount] of after) {
    if (!names.includes(name)) continue;
    const difference = subtractQuantity(amount, before.get(name) ?? zeroQuantity);
    if (difference.nano > 0n) more.set(name, difference);
  }
  return more;
}

function sum(used: string | undefined, amount: Quantity): Quantity {
  return addQuantity(parseQuantity(used ?? '0'), amount);
}

function isTooMuch(used: string | undefined, amount: Quantity, hard: string | undefined): boolean {
  return compareQuantity(sum(used, amount), parseQuantity(hard ?? '0')) > 0;
}

function exceededText(
  { name, status: { used = {}, hard = {} } }: Quota,
  requested: Usage,
  names: readonly string[],
): string {
  const list = (amount: (of: string) => string | undefined) =>
    [...names]
      .sort()
      .map((of) => `${of}=${amount(of)}`)
      .join(',');
  const wanted = list((of) => formatQuantity(requested.get(of) ?? zeroQuantity));
  return `exceeded quota: ${name}, requested: ${wanted}, used: ${list((of) => used[of])}, limited: ${list((of) => hard[of])}`;
}

/** What every container has to ask for once a quota limits it. */
const demanded = ['cpu', 'memory'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]);

/** What containers leave open that the quota counts: `limits.cpu for: a,b; memory for: a`. */
function missingAmounts({ spec }: KubeObject, names: readonly string[]): string | undefined {
  const isWhole = ['requests', 'limits'].some((part) => Object.keys(spec.resources?.[part] ?? {}).length > 0);
  if (isWhole) return undefined;
  const containers: readonly ContainerFields[] = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  const found = demanded
    .filter((name) => names.includes(name))
    .sort()
    .flatMap((name) => {
      const open = containers.filter((container) => !asksFor(container, name)).map((container) => container.name);
      return open.length === 0 ? [] : [`${name} for: ${[...new Set(open)].sort().join(',')}`];
    });
  return found.length === 0 ? undefined : found.join('; ');
}

function asksFor({ resources = {} }: ContainerFields, name: string): boolean {
  const amounts = name.startsWith('limits.') ? resources.limits : resources.requests;
  return amounts?.[name.replace(/^(?:requests|limits)\./, '')] !== undefined;
}
