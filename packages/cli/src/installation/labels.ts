import { type KubeObject, type SlipwayPart, slipwayLabels, slipwayPartOf } from '@slipway/kube';

/** Parts of Slipway that can be installed separately. */
export const partNames = ['features', 'node-agent', 'balloons'] as const satisfies readonly SlipwayPart[];

export type PartName = (typeof partNames)[number];

/** Labels an object as belonging to Slipway and, unless all parts share it, to one part. */
export function labelled(object: KubeObject, part?: PartName): KubeObject {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, labels: { ...metadata.labels, ...slipwayLabels(part) } } };
}

/** Whether a labelled object belongs to one of the parts. */
export function isOfPart({ metadata }: KubeObject, parts: readonly PartName[]): boolean {
  return parts.some((part) => part === slipwayPartOf(metadata.labels));
}
