import type { KubeObject } from '@slipway/kube';

/** Sorts objects by their age, and those of one second by name. */
export function olderFirst({ metadata: a }: KubeObject, { metadata: b }: KubeObject): number {
  const [first = '', second = ''] = [a.creationTimestamp, b.creationTimestamp];
  if (first !== second) return first < second ? -1 : 1;
  return (a.name ?? '') < (b.name ?? '') ? -1 : 1;
}
