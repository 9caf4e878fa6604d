import { parseQuantity, wholeUnits } from '@slipway/kube';
import type { PersistentVolumeClaim } from '@slipway/kube-objects/kinds/api/volumes';
import { waitingClaims } from '../filters/volume-binding.js';
import type { VolumeView } from '../view/cluster-view.js';
import type { NodeState } from '../view/node-state.js';
import { chooseVolumes } from '../volumes/choose-volumes.js';
import { roomFor } from '../volumes/storage-capacity.js';
import { most, type Score } from './score.js';

/** What a pod takes of the storage of one class, in bytes. */
interface Share {
  readonly requested: bigint;
  readonly capacity: bigint;
}

const scale = BigInt(most);

/**
 * Nodes where the volumes that a pod gets there keep most of their room free (KEP-4049, `StorageCapacityScoring`): all
 * that it takes of a class counts as one, and all classes count alike. Where it gets volumes that are there, those that
 * would be made for it do not count.
 */
export const volumeRoomScore: Score = {
  weight: 1,
  rate(demand, feasible, cluster) {
    const claims = waitingClaims(demand, cluster);
    return claims.length === 0
      ? undefined
      : feasible.map((state) => pointsOf(sharesOn(state, claims, cluster.volumes)));
  },
};

function sharesOn({ node }: NodeState, claims: readonly PersistentVolumeClaim[], view: VolumeView): readonly Share[] {
  const { bindings, provisions } = chooseVolumes(claims, node, view) ?? { bindings: [], provisions: [] };
  const shares = new Map<string, Share>();
  const classOf = ({ spec }: PersistentVolumeClaim) => spec.storageClassName ?? '';
  for (const { claim, volume } of bindings) {
    const { requested, capacity } = shares.get(classOf(claim)) ?? nothing;
    const has = bytes(volume.spec.capacity?.storage);
    shares.set(classOf(claim), { requested: requested + wantedBy(claim), capacity: capacity + has });
  }
  if (bindings.length > 0) return [...shares.values()];
  for (const claim of provisions) {
    const room = roomFor(claim, node, view);
    if (room === undefined || room === 'untold') continue;
    const requested = (shares.get(classOf(claim)) ?? nothing).requested + wantedBy(claim);
    shares.set(classOf(claim), { requested, capacity: bytes(room.capacity) });
  }
  return [...shares.values()];
}

const nothing: Share = { requested: 0n, capacity: 0n };

function wantedBy({ spec }: PersistentVolumeClaim): bigint {
  return bytes(spec.resources?.requests?.storage);
}

function bytes(quantity: string | number = 0): bigint {
  return wholeUnits(parseQuantity(quantity));
}

function pointsOf(shares: readonly Share[]): number {
  if (shares.length === 0) return 0;
  const points = shares.map(({ requested, capacity }) =>
    capacity === 0n || requested > capacity ? 0 : most - Number((requested * scale) / capacity),
  );
  return Math.round(points.reduce((sum, each) => sum + each, 0) / shares.length);
}
