import { compareQuantity, formatQuantity, type KubeObject, parseQuantity, type ResourceAmounts } from '@slipway/kube';
import { eachContainer, type PodSpecFields, type ResourceFields } from '@slipway/kube-objects/kinds/pod-spec';
import { containerLimits, containerRequests } from '@slipway/kube-objects/rules/pod-amounts';

/** Since then the resources of a pod as a whole are filled in once admission has completed it. */
export const sinceComplete = 37;

/**
 * Fills in what a pod asks for as a whole (KEP-2837), as Kubernetes does since 1.37 once a pod is complete: what its
 * containers request together, or else what it is limited to; and of what all of its containers are limited in, the sum.
 */
export function completePodResources(spec: PodSpecFields): void {
  const { resources } = spec;
  if (!resources || !asksForSome(resources)) return;
  defaultHugePages(spec, resources);
  defaultPodRequests(spec, resources);
  const all = eachContainer(spec);
  const isLimited = (name: string) => all.every(({ container }) => container.resources?.limits?.[name] !== undefined);
  const sums = containerLimits(containersOf(spec));
  for (const [name, request] of Object.entries(resources.requests ?? {})) {
    const sum = sums[name];
    if (!isOfPods(name) || resources.limits?.[name] !== undefined || !sum || !isLimited(name)) continue;
    const isMore = compareQuantity(parseQuantity(request), sum) > 0;
    resources.limits = { ...resources.limits, [name]: isMore ? request : formatQuantity(sum) };
  }
}

/** The same as before 1.37, which looks at a pod as its writer sent it, and only if it is limited as a whole. */
export function defaultPodResources(spec: PodSpecFields): void {
  const { resources } = spec;
  if (!resources || !asksForSome(resources)) return;
  defaultHugePages(spec, resources);
  if (Object.keys(resources.limits ?? {}).length > 0) defaultPodRequests(spec, resources);
}

/** Whether anything is requested or limited. */
export function asksForSome({ requests, limits }: ResourceFields = {}): boolean {
  return Object.keys({ ...requests, ...limits }).length > 0;
}

/** Resources that a pod can ask for as a whole. */
function isOfPods(name: string): boolean {
  return name === 'cpu' || name === 'memory' || isHugePages(name);
}

function isHugePages(name: string): boolean {
  return name.startsWith('hugepages-');
}

/** Huge pages cannot be promised twice: what containers are limited to is what they get. */
function defaultHugePages(spec: PodSpecFields, resources: ResourceFields): void {
  const pages = entriesOf(containerLimits(containersOf(spec))).filter(
    ([name]) => isHugePages(name) && resources.requests?.[name] === undefined,
  );
  if (pages.length > 0) resources.limits = { ...Object.fromEntries(pages), ...resources.limits };
}

function defaultPodRequests(spec: PodSpecFields, resources: ResourceFields): void {
  const requested = entriesOf(containerRequests(containersOf(spec))).filter(
    ([name]) => isOfPods(name) && !isHugePages(name),
  );
  const limited = Object.entries(resources.limits ?? {}).filter(([name]) => isOfPods(name));
  const requests = { ...Object.fromEntries(limited), ...Object.fromEntries(requested), ...resources.requests };
  if (Object.keys(requests).length > 0) resources.requests = requests;
}

function entriesOf(amounts: ResourceAmounts): [string, string][] {
  return Object.entries(amounts).map(([name, amount]) => [name, formatQuantity(amount)]);
}

/** A pod that asks for nothing as a whole. */
function containersOf({ containers = [], initContainers = [] }: PodSpecFields): KubeObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: {}, spec: { containers, initContainers } };
}
