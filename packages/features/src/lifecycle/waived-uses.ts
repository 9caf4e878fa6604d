import type { ObjectMeta } from '@slipway/kube';
import type { Waiver } from '../api/feature.js';

/** Longest time that a waiver may have left. */
export const longestWaiverMs = 30 * 24 * 3_600_000;

/**
 * The waivers that hold at a time. One that is over, or that would last longer
 * than 30 days from then, does not hold.
 */
export function waiversInForce(waivers: readonly Waiver[] | undefined, nowMs: number): readonly Waiver[] {
  return (waivers ?? []).filter(({ expires }) => {
    const leftMs = Date.parse(expires) - nowMs;
    return leftMs > 0 && leftMs <= longestWaiverMs;
  });
}

/** The waiver that covers a process, if one does. */
export function waiverOfProcess(
  waivers: readonly Waiver[],
  { process, node }: { readonly process: string; readonly node?: string | undefined },
): Waiver | undefined {
  return waivers.find((waiver) => waiver.process === process || (waiver.node !== undefined && waiver.node === node));
}

/** The objects that waivers in force let be, as `objectName` writes them. */
export function waivedObjects(waivers: readonly Waiver[] | undefined, nowMs: number): ReadonlySet<string> {
  return new Set(waiversInForce(waivers, nowMs).flatMap(({ object }) => object ?? []));
}

/** `statefulsets.apps/shop/web`; without a namespace where the object has none. */
export function objectName(resource: string, { namespace, name = '' }: ObjectMeta): string {
  return [resource, ...(namespace === undefined ? [] : [namespace]), name].join('/');
}

/** `w-1 for node n17 until 2026-01-08T00:00:00Z, by anna: disk is being replaced`. */
export function waiverText({ id, process, node, task, object, by, reason, expires }: Waiver): string {
  const what = node !== undefined ? `node ${node}` : (process ?? task ?? object ?? '');
  return `${id} for ${what} until ${expires}, by ${by}: ${reason}`;
}
