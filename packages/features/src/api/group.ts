/** API group of everything this package serves. */
export const group = 'features.slipway.dev';
export const version = 'v1alpha1';
export const apiVersion = `${group}/${version}`;

/** Where gates of Kubernetes' own components live; third parties use their own namespace. */
export const kubernetesNamespace = 'kube-system';

/** Namespace of the feature servers and their leases, unless an installation names another. */
export const serverNamespace = 'slipway-system';

/** Whether only administrators, and components of the cluster, write in a namespace. */
export function isOfSystem(namespace: string | undefined): boolean {
  return namespace === kubernetesNamespace || namespace === serverNamespace;
}

/** Where a feature server tries guards of the whole cluster with dry runs. Nothing is stored there. */
export const trialNamespace = 'slipway-trials';

export const labels = {
  /** On a Feature that no definition declares: its gate was only seen in reports. */
  discovered: `${group}/discovered`,
  /** On a FeatureDefinition that the feature server keeps as it ships it. Take the label off to own it. */
  builtIn: `${group}/built-in`,
  /** On a Secret with values that ClearField took away; the value is the name of the Feature. */
  backup: `${group}/backup`,
  /** On such a Secret in the namespace of the feature server: namespace of the Feature. */
  backupNamespace: `${group}/backup-namespace`,
  /** On such a Secret: name of the backup, which is the id of the first transition that added to it. */
  transition: `${group}/transition`,
  /** Annotation of such a Secret: when the feature server may delete it. RFC 3339. */
  backupExpires: `${group}/backup-expires`,
  /** On an admission policy that keeps a feature from being used anew: name of the Feature. */
  guard: `${group}/guard`,
  /** On such a policy: namespace of the Feature. */
  guardNamespace: `${group}/guard-namespace`,
  /** On a CRD that a task of a feature installed: namespace and name of the Feature, with a dot between. */
  ownedBy: `${group}/owned-by`,
  /** Prefix of annotations on a CRD: what was taken out of its schema, by gate. */
  hiddenFields: `${group}/hidden`,
} as const;

/** Under which name feature servers own the fields they apply, all of them alike. */
export const serverManager = 'slipway-feature-server';
