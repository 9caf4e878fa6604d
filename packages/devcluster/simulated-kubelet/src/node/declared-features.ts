/** What a kubelet of Kubernetes 1.36 or later declares with the defaults of its gates, sorted. */
const declaredByDefault = [
  'ExtendWebSocketsToKubelet',
  'InPlacePodLevelResourcesVerticalScaling',
  'InPlacePodVerticalScalingInitContainers',
  'RestartAllContainersOnContainerExits',
];

/**
 * Returns the features that a kubelet of a version such as `v1.37.0` declares in the status of its node (KEP-5328): the
 * gates that are on and that the control plane has to know of. Earlier kubelets declare none.
 */
export function declaredFeatures(kubeletVersion: string): readonly string[] | undefined {
  const [, minor = '0'] = /^v1\.(\d+)/.exec(kubeletVersion) ?? [];
  return Number(minor) >= 36 ? declaredByDefault : undefined;
}
