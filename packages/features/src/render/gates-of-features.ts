import type { Feature } from '../api/feature.js';

/** Returns the gates that Features set by flags: those of decided features that the API does not set by itself. */
export function gatesOfFeatures(features: readonly Feature[]): ReadonlyMap<string, boolean> {
  return new Map(
    features.flatMap(({ spec, status }): [string, boolean][] => {
      const { gate, desired = 'Unmanaged', mode = 'Follow' } = spec;
      if (mode === 'Dynamic') return [];
      if (desired === 'On' || desired === 'Off') return [[gate, desired === 'On']];
      const central = mode === 'Central' ? status?.configured?.value : undefined;
      return central === undefined ? [] : [[gate, central]];
    }),
  );
}
