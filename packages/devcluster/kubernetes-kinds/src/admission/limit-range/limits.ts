import { compareQuantity, formatQuantity, parseQuantity, type Quantity, type ResourceAmounts } from '@slipway/kube';
import type { LimitItem } from '@slipway/kube-objects/kinds/limit-item';
import type { ResourceList } from '@slipway/kube-objects/kinds/resource-list';

/** What a container, or a pod as a whole, wants. */
export interface Wanted {
  readonly requests: ResourceAmounts;
  readonly limits: ResourceAmounts;
}

/** Returns how a container or a pod violates a limit, in the words of Kubernetes. */
export function limitProblems(item: LimitItem, wanted: Wanted): string[] {
  return [
    ...each(item.min, (name, least) => minProblem(item.type, name, least, wanted)),
    ...each(item.max, (name, most) => maxProblem(item.type, name, most, wanted)),
    ...each(item.maxLimitRequestRatio, (name, most) => ratioProblem(item.type, name, most, wanted)),
  ];
}

/** The same of a claim, which only requests. */
export function claimProblems(item: LimitItem, requests: ResourceAmounts): string[] {
  return [
    ...each(item.min, (name, least) => minProblem(item.type, name, least, { requests, limits: {} })),
    ...each(item.max, (name, most) => {
      const request = requests[name];
      const rule = `maximum ${name} usage per ${item.type} is ${most}`;
      if (!request) return `${rule}.  No request is specified`;
      return isMore(request, most) ? `${rule}, but request is ${formatQuantity(request)}` : undefined;
    }),
  ];
}

function each(amounts: ResourceList = {}, problem: (name: string, amount: string) => string | undefined): string[] {
  return Object.keys(amounts)
    .sort()
    .flatMap((name) => problem(name, amounts[name] ?? '') ?? []);
}

function isMore(amount: Quantity, than: string): boolean {
  return compareQuantity(amount, parseQuantity(than)) > 0;
}

function isLess(amount: Quantity, than: string): boolean {
  return compareQuantity(amount, parseQuantity(than)) < 0;
}

function minProblem(type: string, name: string, least: string, { requests, limits }: Wanted): string | undefined {
  const rule = `minimum ${name} usage per ${type} is ${least}`;
  const [request, limit] = [requests[name], limits[name]];
  if (!request) return `${rule}.  No request is specified`;
  if (isLess(request, least)) return `${rule}, but request is ${formatQuantity(request)}`;
  return limit && isLess(limit, least) ? `${rule}, but limit is ${formatQuantity(limit)}` : undefined;
}

function maxProblem(type: string, name: string, most: string, { requests, limits }: Wanted): string | undefined {
  const rule = `maximum ${name} usage per ${type} is ${most}`;
  const [request, limit] = [requests[name], limits[name]];
  if (!limit) return `${rule}.  No limit is specified`;
  if (isMore(limit, most)) return `${rule}, but limit is ${formatQuantity(limit)}`;
  return request && isMore(request, most) ? `${rule}, but request is ${formatQuantity(request)}` : undefined;
}

function ratioProblem(type: string, name: string, most: string, { requests, limits }: Wanted): string | undefined {
  const rule = `${name} max limit to request ratio per ${type} is ${most}`;
  const [request, limit] = [requests[name], limits[name]];
  if (!request || request.nano === 0n) return `${rule}, but no request is specified or request is 0`;
  if (!limit || limit.nano === 0n) return `${rule}, but no limit is specified or limit is 0`;
  const ratio = Number(limit.nano) / Number(request.nano);
  return ratio > Number(parseQuantity(most).nano) / 1e9
    ? `${rule}, but provided ratio is ${ratio.toFixed(6)}`
    : undefined;
}
