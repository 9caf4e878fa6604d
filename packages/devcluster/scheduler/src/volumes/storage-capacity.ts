import { compareQuantity, matchesSelector, parseQuantity } from '@slipway/kube';
import type { Node } from '@slipway/kube-objects/kinds/api/nodes';
import type { CSIStorageCapacity, PersistentVolumeClaim } from '@slipway/kube-objects/kinds/api/volumes';
import type { VolumeView } from '../view/cluster-view.js';

/**
 * The storage that has room for the volume of a claim where a node gets at it; undefined when none has. Drivers need not
 * say where there is room: for theirs it is `untold`.
 */
export function roomFor(
  { spec }: PersistentVolumeClaim,
  { metadata }: Node,
  view: Pick<VolumeView, 'storageClass' | 'driver' | 'capacities'>,
): CSIStorageCapacity | 'untold' | undefined {
  const { storageClassName = '', resources } = spec;
  const size = resources?.requests?.storage;
  const provisioner = view.storageClass(storageClassName)?.provisioner ?? '';
  if (size === undefined || !view.driver(provisioner)?.spec.storageCapacity) return 'untold';
  const wanted = parseQuantity(size);
  const fits = ({ storageClassName: of, nodeTopology, capacity, maximumVolumeSize = capacity }: CSIStorageCapacity) =>
    of === storageClassName &&
    nodeTopology !== undefined &&
    maximumVolumeSize !== undefined &&
    compareQuantity(parseQuantity(maximumVolumeSize), wanted) >= 0 &&
    matchesSelector(nodeTopology, metadata.labels);
  return view.capacities().find(fits);
}
