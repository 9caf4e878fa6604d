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

/**
 * Describes in a kubelet's words why a container cannot have its mounts: a path in a volume names variables that have no
 * value, or leads out of the volume. Undefined when it can.
 */
export function mountProblem(view: ContainerView): string | undefined {
  const environment = environmentOf(view);
  for (const { subPathExpr = '' } of view.container.volumeMounts ?? []) {
    const named = [...subPathExpr.matchAll(/\$\$|\$\(([A-Za-z_][\w.-]*)\)/g)].flatMap(([, name]) => name ?? []);
    const missing = [...new Set(named.filter((name) => !environment.get(name)))].sort();
    if (missing.length > 0) return `missing value for ${missing.join(', ')}`;
    const subPath = expanded(subPathExpr, environment);
    if (subPath.startsWith('/')) return `error SubPath \`${subPath}\` must not be an absolute path`;
    if (subPath.split('/').includes('..')) return `unable to provision SubPath \`${subPath}\`: must not contain '..'`;
  }
  return undefined;
}
