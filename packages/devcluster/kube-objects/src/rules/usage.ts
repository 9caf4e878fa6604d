import { groupResource } from '@slipway/api-machinery/errors/status-errors';
import { addQuantity, effectiveRequests, type KubeObject, parseQuantity, type Quantity, quantity } from '@slipway/kube';
import { containerLimits } from './pod-amounts.js';

/** Amounts by the names that quotas have for them: `pods`, `requests.cpu`, `count/jobs.batch`. */
export type Usage = ReadonlyMap<string, Quantity>;

type Named = Parameters<typeof groupResource>[0];

const one = quantity(1);
/** Kinds that have a name of their own in quotas, beside `count/...`. */
const aliases: Readonly<Record<string, string | undefined>> = {
  configmaps: 'configmaps',
  secrets: 'secrets',
  resourcequotas: 'resourcequotas',
  replicationcontrollers: 'replicationcontrollers',
};

/** Returns how much of each resource that quotas may limit an object uses. */
export function usageOf(resource: Named, object: KubeObject, nowMs: number): Usage {
  const usage = new Map([[countName(resource), one]]);
  switch (groupResource(resource)) {
    case 'pods':
      return merged(usage, podUsage(object, nowMs));
    case 'services':
      return merged(usage, serviceUsage(object));
    case 'persistentvolumeclaims':
      return merged(usage, claimUsage(object));
    default: {
      const alias = aliases[groupResource(resource)];
      return alias === undefined ? usage : usage.set(alias, one);
    }
  }
}

/** The name by which quotas count objects of a resource, whatever their state. */
function countName(resource: Named): string {
  return `count/${groupResource(resource)}`;
}

/** Of the names that a quota limits, those that objects of a resource use. */
export function namesFor(resource: Named, names: readonly string[]): string[] {
  const count = countName(resource);
  switch (groupResource(resource)) {
    case 'pods':
      return names.filter((name) => name === count || isPodName(name));
    case 'services':
      return names.filter((name) => name === count || serviceNames.has(name));
    case 'persistentvolumeclaims':
      return names.filter(
        (name) => name === count || claimNames.some((own) => name === own || name.endsWith(classSuffix + own)),
      );
    default:
      return names.filter((name) => name === count || name === aliases[groupResource(resource)]);
  }
}

/** The resources that use what a quota limits, as far as the name alone tells: `plural.group`. */
export function resourcesOf(name: string): string[] {
  if (name.startsWith('count/')) return [name.slice('count/'.length)];
  const all = ['pods', 'services', 'persistentvolumeclaims', ...Object.keys(aliases)];
  return all.filter((plural) => namesFor({ group: '', plural }, [name]).length > 0);
}

/** The sum of usages. */
export function addUsage(a: Usage, b: Usage): Usage {
  const sum = new Map(a);
  for (const [name, amount] of b) {
    const before = sum.get(name);
    sum.set(name, before ? addQuantity(before, amount) : amount);
  }
  return sum;
}

function merged(a: Map<string, Quantity>, b: Usage): Usage {
  for (const [name, amount] of b) a.set(name, amount);
  return a;
}

const computeNames = new Set(
  ['cpu', 'memory', 'ephemeral-storage'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
);

function isPodName(name: string): boolean {
  if (name === 'pods' || computeNames.has(name)) return true;
  if (name.startsWith('hugepages-') || name.startsWith('requests.hugepages-')) return true;
  return isExtended(name) && name.startsWith('requests.');
}

/** Devices and the like: names of a domain that is not Kubernetes' own. */
function isExtended(name: string): boolean {
  return name.includes('/') && !name.includes('kubernetes.io/');
}

/** A pod that has ended, or should have, uses nothing but its place among objects. */
function podUsage(pod: KubeObject, nowMs: number): Usage {
  if (hasEnded(pod, nowMs)) return new Map();
  const usage = new Map([['pods', one]]);
  const requests = effectiveRequests(pod);
  const limits = containerLimits(pod);
  const overhead: Readonly<Record<string, string>> = pod.spec.overhead ?? {};
  for (const [name, amount] of Object.entries(requests)) {
    const isHuge = name.startsWith('hugepages-');
    if (computeNames.has(name) || isHuge) usage.set(name, amount);
    if (computeNames.has(name) || isHuge || isExtended(name)) usage.set(`requests.${name}`, amount);
  }
  for (const [name, amount] of Object.entries(limits)) {
    if (!computeNames.has(name)) continue;
    const more = overhead[name];
    usage.set(`limits.${name}`, more === undefined ? amount : addQuantity(amount, parseQuantity(more)));
  }
  return usage;
}

function hasEnded({ metadata, status }: KubeObject, nowMs: number): boolean {
  if (status?.phase === 'Failed' || status?.phase === 'Succeeded') return true;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (!deletionTimestamp || deletionGracePeriodSeconds === undefined) return false;
  return nowMs > Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1000;
}

const serviceNames = new Set(['services', 'services.loadbalancers', 'services.nodeports']);

function serviceUsage({ spec }: KubeObject): Usage {
  const ports: readonly { readonly nodePort?: number }[] = spec.ports ?? [];
  const isBalanced = spec.type === 'LoadBalancer';
  const wantsPorts = spec.type === 'NodePort' || (isBalanced && spec.allocateLoadBalancerNodePorts !== false);
  const nodePorts = wantsPorts ? ports.length : isBalanced ? ports.filter(({ nodePort }) => nodePort).length : 0;
  return new Map([
    ['services', one],
    ['services.loadbalancers', quantity(isBalanced ? 1 : 0)],
    ['services.nodeports', quantity(nodePorts)],
  ]);
}

const claimNames = ['persistentvolumeclaims', 'requests.storage'];
const classSuffix = '.storageclass.storage.k8s.io/';

function claimUsage({ spec, metadata }: KubeObject): Usage {
  const asked: string | undefined = spec.resources?.requests?.storage;
  const amounts: (readonly [string, Quantity])[] = [['persistentvolumeclaims', one]];
  if (asked !== undefined) amounts.push(['requests.storage', parseQuantity(asked)]);
  const name: string = metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? spec.storageClassName ?? '';
  const byClass = name === '' ? [] : amounts.map(([own, amount]) => [`${name}${classSuffix}${own}`, amount] as const);
  return new Map([...amounts, ...byClass]);
}
