import { isUnpreemptable, type Pod } from '@slipway/kube-objects/kinds/api/pods';
import { type Amounts, minus } from '@slipway/kube-objects/rules/amounts';
import { isCritical } from '../pods/critical-pod.js';
import type { AdmissionFailure } from '../pods/pod-admission.js';

/** A pod on the node, with what is set aside for it. */
export interface Candidate {
  readonly pod: Pod;
  readonly amounts: Amounts;
}

/** Which pods have to go for another, or why none would help. */
export type Victims<T> =
  | { readonly kind: 'found'; readonly victims: readonly T[] }
  | { readonly kind: 'none'; readonly why: string };

/**
 * Chooses the pods that a kubelet takes away to make room for a critical pod: as few guaranteed ones as
 * possible, then as few burstable ones, then as few others; among equals those that fall least short of what is missing.
 */
export function chooseVictims<T extends Candidate>(
  preemptor: Pod,
  candidates: readonly T[],
  failures: readonly AdmissionFailure[],
): Victims<T> {
  const missing: Amounts = new Map(
    failures.flatMap((each) =>
      each.kind === 'resource' ? [[each.resource, each.requested - (each.capacity - each.used)] as const] : [],
    ),
  );
  const mayGo = candidates.filter(({ pod }) => isPreemptable(preemptor, pod));
  const ofClass = (quality: string) => mayGo.filter(({ pod }) => (pod.status?.qosClass ?? 'BestEffort') === quality);
  const [bestEffort, burstable, guaranteed] = [ofClass('BestEffort'), ofClass('Burstable'), ofClass('Guaranteed')];
  const unmet = without(missing, mayGo);
  if (unmet.size > 0)
    return { kind: 'none', why: `no set of running pods found to reclaim resources: ${listed(unmet)}` };
  const first = nearest(guaranteed, without(missing, [...bestEffort, ...burstable]));
  const second = nearest(burstable, without(missing, [...bestEffort, ...first]));
  const third = nearest(bestEffort, without(missing, [...second, ...first]));
  return { kind: 'found', victims: [...third, ...second, ...first] };
}

/** Whether `pod` may go for `preemptor`: critical pods go before no other, and never a balloon. */
function isPreemptable(preemptor: Pod, pod: Pod): boolean {
  if (isUnpreemptable(pod)) return false;
  if (isCritical(preemptor) && !isCritical(pod)) return true;
  const [priority, other] = [preemptor.spec.priority, pod.spec.priority];
  return priority !== undefined && other !== undefined && priority > other;
}

/** What is still missing once these pods are gone. */
function without(missing: Amounts, gone: readonly Candidate[]): Amounts {
  let left = missing;
  for (const { amounts } of gone)
    left = new Map([...minus(left, amounts)].filter(([name, amount]) => missing.has(name) && amount > 0));
  return left;
}

function nearest<T extends Candidate>(from: readonly T[], missing: Amounts): readonly T[] {
  const chosen: T[] = [];
  const left = [...from];
  let unmet = missing;
  while (unmet.size > 0 && left.length > 0) {
    const best = left.reduce((a, b) => (isBetter(b, a, unmet) ? b : a));
    left.splice(left.indexOf(best), 1);
    chosen.push(best);
    unmet = without(unmet, [best]);
  }
  return chosen;
}

function isBetter(a: Candidate, b: Candidate, missing: Amounts): boolean {
  const difference = shortfall(a, missing) - shortfall(b, missing);
  if (difference !== 0) return difference < 0;
  const amount = ({ amounts }: Candidate, name: string) => amounts.get(name) ?? 0;
  const memory = amount(a, 'memory') - amount(b, 'memory');
  return memory !== 0 ? memory < 0 : amount(a, 'cpu') <= amount(b, 'cpu');
}

/** The squared shares of what is missing that a pod does not cover, summed over resources. */
function shortfall({ amounts }: Candidate, missing: Amounts): number {
  const shares = [...missing].map(([name, amount]) => Math.max(0, amount - (amounts.get(name) ?? 0)) / amount);
  return shares.reduce((sum, share) => sum + share * share, 0);
}

function listed(missing: Amounts): string {
  return `[${[...missing].map(([name, amount]) => `(res: ${name}, q: ${amount}), `).join('')}]`;
}
