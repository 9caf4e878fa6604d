import type { KubeObject } from '@slipway/kube';

/** Returns warnings about fields of a Service that have no effect, or are deprecated. */
export function serviceWarnings({ spec = {} }: KubeObject): readonly string[] {
  const { type, clusterIP, externalIPs, externalName, loadBalancerIP, sessionAffinity, trafficDistribution } = spec;
  const hasExternal = (externalIPs?.length ?? 0) > 0;
  const isExternalName = type === 'ExternalName';
  const isHeadless = clusterIP === 'None';
  const ignored = (field: string) => `spec.${field} is ignored for headless services`;
  return [
    ...(isHeadless && loadBalancerIP ? [ignored('loadBalancerIP')] : []),
    ...(isHeadless && hasExternal ? [ignored('externalIPs')] : []),
    ...(isHeadless && sessionAffinity !== 'None' ? [ignored('SessionAffinity')] : []),
    ...(hasExternal && !isHeadless && !isExternalName
      ? ['spec.externalIPs is deprecated and may no longer be implemented in some clusters']
      : []),
    ...(hasExternal && isExternalName ? ['spec.externalIPs is ignored when spec.type is "ExternalName"'] : []),
    ...(externalName && !isExternalName ? ['spec.externalName is ignored when spec.type is not "ExternalName"'] : []),
    ...(trafficDistribution === 'PreferClose'
      ? ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"']
      : []),
  ];
}
