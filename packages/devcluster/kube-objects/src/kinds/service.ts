/** Spec of a Service, as far as it is looked at here. */
export interface ServiceSpecFields {
  type?: string;
  ports?: ServicePortFields[] | null;
  selector?: Record<string, string>;
  clusterIP?: string;
  clusterIPs?: string[] | null;
  ipFamilies?: string[] | null;
  ipFamilyPolicy?: string;
  externalIPs?: string[];
  externalName?: string;
  sessionAffinity?: string;
  sessionAffinityConfig?: { clientIP?: { timeoutSeconds?: number } };
  externalTrafficPolicy?: string;
  internalTrafficPolicy?: string;
  trafficDistribution?: string;
  healthCheckNodePort?: number;
  allocateLoadBalancerNodePorts?: boolean;
  loadBalancerClass?: string;
  loadBalancerSourceRanges?: string[] | null;
}

export interface ServicePortFields {
  name?: string;
  protocol?: string;
  port?: number;
  targetPort?: number | string;
  nodePort?: number;
  appProtocol?: string;
}
