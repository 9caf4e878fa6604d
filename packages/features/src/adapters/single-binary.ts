/** Components that run in one process with others, by the name of that process. */
const rolesOf: Readonly<Record<string, readonly string[]>> = {
  'k3s-server': ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubelet', 'kube-proxy'],
  'k3s-agent': ['kubelet', 'kube-proxy'],
};

/**
 * The process that the kubelet of a node is part of, where it is none of its own: k3s runs all of Kubernetes in one, with
 * one set of gates. RKE2 shares its versions' style and runs each component by itself.
 */
export function singleBinary(binaryVersion: string, isControlPlane: boolean): string | undefined {
  if (!/\+k3s\d/.test(binaryVersion)) return undefined;
  return isControlPlane ? 'k3s-server' : 'k3s-agent';
}

/** Whether a process of this name is, or has in it, a component. */
export function plays(process: string, component: string): boolean {
  return process === component || (rolesOf[process]?.includes(component) ?? false);
}
