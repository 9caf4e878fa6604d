import type { Findings } from './place-pod.js';

/** Why a pod has no node, in the words of Kubernetes, which people and autoscalers read. */
export function describeFindings({ total, refusal, narrowedBy, objections }: Findings): string {
  if (total === 0) return 'no nodes available to schedule pods';
  if (refusal) return nodesAvailable(total, [refusal.reason]);
  const reasons = objections.flatMap((objection) => objection.reasons);
  return nodesAvailable(total, counted(reasons, total - objections.length, notSatisfied(narrowedBy)));
}

/** Reasons with how many nodes they hold for; `rest` nodes have a reason in common. */
export function counted(reasons: readonly string[], rest: number, restReason: string): readonly string[] {
  const counts = new Map<string, number>(rest > 0 ? [[restReason, rest]] : []);
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].map(([reason, count]) => `${count} ${reason}`).sort();
}

export function nodesAvailable(total: number, reasons: readonly string[]): string {
  return `0/${total} nodes are available: ${reasons.join(', ')}.`;
}

function notSatisfied(filters: readonly string[]): string {
  return `node(s) didn't satisfy plugin(s) [${[...filters].sort().join(' ')}]`;
}
