/** A part of Slipway that can be installed and uninstalled separately. */
export type SlipwayPart = 'features' | 'node-agent' | 'balloons';

const partOf = 'app.kubernetes.io/part-of';
const component = 'app.kubernetes.io/component';

/** Selects every object that belongs to Slipway, and every other one. */
export const slipwaySelectors = { ours: `${partOf}=slipway`, foreign: `${partOf}!=slipway` } as const;

/**
 * Labels an object as belonging to Slipway and, unless all parts share it, to one part. `slipway uninstall` finds by
 * these labels what it deletes; data of users never carries them.
 */
export function slipwayLabels(part?: SlipwayPart): Readonly<Record<string, string>> {
  return { [partOf]: 'slipway', ...(part !== undefined && { [component]: part }) };
}

/** Returns the part that a labelled object belongs to; undefined if all parts share it. */
export function slipwayPartOf(labels: Readonly<Record<string, string>> = {}): string | undefined {
  return labels[component];
}
