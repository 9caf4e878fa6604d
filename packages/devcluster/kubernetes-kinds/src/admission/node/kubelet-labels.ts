const restricted = 'node-restriction.kubernetes.io';

/** Labels with prefixes of Kubernetes that a kubelet may set on its node. */
const known: ReadonlySet<string> = new Set([
  'kubernetes.io/hostname',
  'kubernetes.io/arch',
  'kubernetes.io/os',
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/instance-type',
  'beta.kubernetes.io/os',
  'failure-domain.beta.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'node.kubernetes.io/instance-type',
  'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone',
]);

const ownPrefixes: readonly string[] = ['kubelet.kubernetes.io', 'node.kubernetes.io'];

/**
 * Whether a kubelet may put a label on its node. Those of Kubernetes steer workloads, so
 * a kubelet gets only those it is known to set; those of others are free.
 */
export function mayKubeletSet(label: string): boolean {
  const slash = label.indexOf('/');
  const prefix = slash < 0 ? '' : label.slice(0, slash);
  if (isOrBelow(prefix, restricted)) return false;
  if (!isOrBelow(prefix, 'kubernetes.io') && !isOrBelow(prefix, 'k8s.io')) return true;
  return known.has(label) || ownPrefixes.some((own) => isOrBelow(prefix, own));
}

function isOrBelow(prefix: string, domain: string): boolean {
  return prefix === domain || prefix.endsWith(`.${domain}`);
}
