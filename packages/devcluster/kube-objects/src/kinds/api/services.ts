import type { KubeObject, ObjectReference, ResourceRef } from '@slipway/kube';

/** Service of core/v1, as far as the controllers of its endpoints look at it. */
export interface Service extends KubeObject {
  spec: {
    type?: 'ClusterIP' | 'NodePort' | 'LoadBalancer' | 'ExternalName';
    selector?: Readonly<Record<string, string>>;
    clusterIP?: string;
    clusterIPs?: readonly string[];
    ports?: readonly ServicePort[];
    publishNotReadyAddresses?: boolean;
  };
}

export interface ServicePort {
  readonly name?: string;
  readonly protocol: string;
  readonly port: number;
  readonly targetPort: number | string;
  readonly appProtocol?: string;
}

/** EndpointSlice of discovery.k8s.io/v1. */
export interface EndpointSlice extends KubeObject {
  addressType: 'IPv4' | 'IPv6' | 'FQDN';
  /** Null when there are none. */
  endpoints: readonly Endpoint[] | null;
  ports?: readonly EndpointPort[] | null;
}

export interface Endpoint {
  readonly addresses: readonly string[];
  readonly conditions?: { readonly ready?: boolean; readonly serving?: boolean; readonly terminating?: boolean };
  readonly hostname?: string;
  readonly targetRef?: Partial<ObjectReference>;
  readonly nodeName?: string;
  readonly zone?: string;
}

export interface EndpointPort {
  readonly name: string;
  readonly protocol: string;
  readonly port: number;
  readonly appProtocol?: string;
}

/** Endpoints of core/v1: what EndpointSlices have replaced. */
export interface Endpoints extends KubeObject {
  subsets?: readonly EndpointSubset[];
}

export interface EndpointSubset {
  readonly addresses?: readonly EndpointAddress[];
  readonly notReadyAddresses?: readonly EndpointAddress[];
  readonly ports?: readonly (Omit<EndpointPort, 'name'> & { readonly name?: string })[];
}

export interface EndpointAddress {
  readonly ip: string;
  readonly hostname?: string;
  readonly nodeName?: string;
  readonly targetRef?: Partial<ObjectReference>;
}

export const services: ResourceRef<Service> = {
  group: '',
  version: 'v1',
  kind: 'Service',
  plural: 'services',
  namespaced: true,
};

export const endpointSlices: ResourceRef<EndpointSlice> = {
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  namespaced: true,
};

export const endpoints: ResourceRef<Endpoints> = {
  group: '',
  version: 'v1',
  kind: 'Endpoints',
  plural: 'endpoints',
  namespaced: true,
};
