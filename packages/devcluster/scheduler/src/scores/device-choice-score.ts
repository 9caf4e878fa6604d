import type { Allocation, ResourceClaim } from '@slipway/kube-objects/kinds/api/resource-claims';
import { allocate } from '../devices/allocation.js';
import { claimsOf, unallocated } from '../devices/pod-claims.js';
import { type Score, stretched } from './score.js';

/** As many choices as a request may have. */
const maxChoices = 8;

/** Nodes on which requests get devices that they name early among their choices. */
export const deviceChoiceScore: Score = {
  weight: 2,
  rate({ pod }, feasible, { devices }) {
    const claims = claimsOf(pod, devices);
    if (typeof claims === 'string' || !claims.some(hasChoices)) return undefined;
    const missing = unallocated(claims);
    const counts = feasible.map(({ node }) => {
      const allocations = missing.length === 0 ? [] : (allocate(missing, node, devices, () => '') ?? []);
      const points = claims.map((claim) =>
        pointsOf(claim, claim.status?.allocation ?? allocations[missing.indexOf(claim)]),
      );
      return points.reduce((sum, each) => sum + each, 0);
    });
    return stretched(counts);
  },
};

function hasChoices({ spec }: ResourceClaim): boolean {
  return spec.devices?.requests?.some(({ firstAvailable }) => firstAvailable) ?? false;
}

/** The earlier the choice that a request got, the more. */
function pointsOf({ spec }: ResourceClaim, allocation: Allocation | undefined): number {
  const got = new Set(allocation?.devices?.results?.map(({ request }) => request));
  const places = (spec.devices?.requests ?? []).flatMap(({ name, firstAvailable = [] }) =>
    firstAvailable.flatMap((choice, index) => (got.has(`${name}/${choice.name}`) ? [index] : [])),
  );
  return places.reduce((sum, place) => sum + maxChoices - place, 0);
}
