import type { MountFields } from '@slipway/kube-objects/kinds/pod-spec';
import type { ContainerView } from './container-view.js';
import { environmentOf, expanded } from './environment.js';

/** The mounts of a container, with the variables in their paths filled in. */
export function expandedMounts(view: ContainerView): readonly MountFields[] {
  const mounts = view.container.volumeMounts ?? [];
  if (mounts.every(({ subPathExpr }) => !subPathExpr)) return mounts;
  const environment = environmentOf(view);
  return mounts.map(({ subPathExpr, ...mount }) =>
    subPathExpr ? { ...mount, subPath: expanded(subPathExpr, environment) } : mount,
  );
}
