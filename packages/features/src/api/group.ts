/** API group of everything this package serves. */
export const group = 'features.slipway.dev';
export const version = 'v1alpha1';
export const apiVersion = `${group}/${version}`;

/** Where gates of Kubernetes' own components live; third parties use their own namespace. */
export const kubernetesNamespace = 'kube-system';

export const labels = {
  /** On a Feature that no definition declares: its gate was only seen in reports. */
  discovered: `${group}/discovered`,
  /** On a FeatureDefinition that the feature server keeps as it ships it. Take the label off to own it. */
  builtIn: `${group}/built-in`,
  /** On a Secret with values that ClearField took away; the value is the name of the Feature. */
  backup: `${group}/backup`,
  /** On such a Secret: id of the transition that took them. */
  transition: `${group}/transition`,
} as const;
