import type { Condition, KubeObject, ResourceRef } from '@slipway/kube';

/** ServiceCIDR of networking.k8s.io/v1: ranges that services get their addresses from. */
export interface ServiceCIDR extends KubeObject {
  spec: { cidrs: readonly string[] };
  status?: { conditions?: Condition[] };
}

/** IPAddress of networking.k8s.io/v1: what has the address that is its name. */
export interface IPAddress extends KubeObject {
  spec: { parentRef: AddressParent };
}

export interface AddressParent {
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

export const serviceCidrs: ResourceRef<ServiceCIDR> = {
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'ServiceCIDR',
  plural: 'servicecidrs',
  namespaced: false,
};

export const ipAddresses: ResourceRef<IPAddress> = {
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'IPAddress',
  plural: 'ipaddresses',
  namespaced: false,
};

/** Keeps a range until no service needs it. */
export const rangeProtection = 'networking.k8s.io/service-cidr-finalizer';

/** Labels of addresses that services were given; others belong to whoever made them. */
export const addressOfService = {
  'ipaddress.kubernetes.io/ip-family': 'IPv4',
  'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
} as const;

const managedBy = 'ipaddress.kubernetes.io/managed-by';

/** Whether an address is that of a service, and not one that others have taken for themselves. */
export function isAddressOfService({ metadata }: KubeObject): boolean {
  return metadata.labels?.[managedBy] === addressOfService[managedBy];
}

/** Whether services get addresses of a range: it is not about to go, and its condition says nothing else. */
export function isServing({ metadata, status }: KubeObject): boolean {
  const conditions: readonly Condition[] = status?.conditions ?? [];
  return !metadata.deletionTimestamp && conditions.every(({ type, status: is }) => type !== 'Ready' || is === 'True');
}
