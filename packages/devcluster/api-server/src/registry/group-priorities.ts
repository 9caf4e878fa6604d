/**
 * How strongly clients prefer the groups of Kubernetes, and so the order in which discovery lists them. Custom groups
 * come after them all.
 */
export const groupPriorities: ReadonlyMap<string, number> = new Map([
  ['', 18_000],
  ['apiregistration.k8s.io', 18_000],
  ['apps', 17_800],
  ['events.k8s.io', 17_750],
  ['authentication.k8s.io', 17_700],
  ['authorization.k8s.io', 17_600],
  ['autoscaling', 17_500],
  ['batch', 17_400],
  ['certificates.k8s.io', 17_300],
  ['networking.k8s.io', 17_200],
  ['policy', 17_100],
  ['rbac.authorization.k8s.io', 17_000],
  ['storage.k8s.io', 16_800],
  ['admissionregistration.k8s.io', 16_700],
  ['apiextensions.k8s.io', 16_700],
  ['scheduling.k8s.io', 16_600],
  ['coordination.k8s.io', 16_500],
  ['node.k8s.io', 16_300],
  ['discovery.k8s.io', 16_200],
  ['resource.k8s.io', 16_200],
  ['flowcontrol.apiserver.k8s.io', 16_100],
  ['storagemigration.k8s.io', 15_800],
]);

/** The priority of every group that is not one of Kubernetes, and of every version of it. */
export const customPriority = { group: 1_000, version: 100 } as const;

/** Returns the priority of a version within its API group; the highest is preferred. */
export function versionPriority(group: string, version: string): number {
  if (group === '') return 1;
  if (group === 'flowcontrol.apiserver.k8s.io' || (group === 'resource.k8s.io' && version === 'v1')) return 21;
  if (version.includes('alpha') || (group === 'storagemigration.k8s.io' && version !== 'v1')) return 9;
  if (version.includes('beta')) return 12;
  return version === 'v1' ? 15 : 30;
}
