import type { LabelSelector } from '@slipway/kube';

/**
 * The fields of a pod spec that defaults, validation and columns look at. Objects
 * were brought to their kind's types before, so casting to these is sound; lists
 * that were not given may be absent or null.
 */
export interface PodSpecFields {
  containers?: ContainerFields[] | null;
  initContainers?: ContainerFields[] | null;
  ephemeralContainers?: ContainerFields[] | null;
  volumes?: VolumeFields[] | null;
  restartPolicy?: string;
  dnsPolicy?: string;
  dnsConfig?: DnsFields;
  terminationGracePeriodSeconds?: number;
  activeDeadlineSeconds?: number;
  schedulerName?: string;
  securityContext?: object;
  enableServiceLinks?: boolean;
  hostNetwork?: boolean;
  nodeName?: string;
  nodeSelector?: Record<string, string>;
  serviceAccountName?: string;
  serviceAccount?: string;
  automountServiceAccountToken?: boolean | null;
  hostname?: string;
  subdomain?: string;
  priorityClassName?: string;
  priority?: number;
  preemptionPolicy?: string;
  tolerations?: TolerationFields[] | null;
  affinity?: AffinityFields;
  topologySpreadConstraints?: SpreadFields[] | null;
  schedulingGates?: { name: string }[] | null;
  readinessGates?: { conditionType?: string }[] | null;
  resourceClaims?: ClaimReferenceFields[] | null;
  hostPID?: boolean;
  hostIPC?: boolean;
  hostUsers?: boolean;
  shareProcessNamespace?: boolean;
  hostnameOverride?: string;
  setHostnameAsFQDN?: boolean;
  runtimeClassName?: string;
  resources?: ResourceFields;
  overhead?: Record<string, string>;
  os?: { name?: string };
  hostAliases?: AliasFields[] | null;
  [field: string]: unknown;
}

/** How a pod finds names. */
export interface DnsFields {
  nameservers?: string[] | null;
  searches?: string[] | null;
  options?: { name?: string }[] | null;
}

/** How pods spread over the domains of a topology. */
export interface SpreadFields {
  maxSkew?: number;
  topologyKey?: string;
  whenUnsatisfiable?: string;
  minDomains?: number;
  nodeAffinityPolicy?: string;
  nodeTaintsPolicy?: string;
  labelSelector?: LabelSelector;
  matchLabelKeys?: string[] | null;
}

/** A claim of devices, of that name or made from that template. */
export interface ClaimReferenceFields {
  name?: string;
  resourceClaimName?: string;
  resourceClaimTemplateName?: string;
}

/** More lines of the hosts file of a pod. */
export interface AliasFields {
  ip?: string;
  hostnames?: string[] | null;
}

/** The pods that a workload makes. */
export interface PodTemplateFields {
  metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
  spec?: PodSpecFields;
}

export interface ContainerFields {
  name?: string;
  image?: string;
  imagePullPolicy?: string;
  terminationMessagePath?: string;
  terminationMessagePolicy?: string;
  restartPolicy?: string;
  ports?: PortFields[] | null;
  env?: EnvFields[] | null;
  envFrom?: EnvFromFields[] | null;
  resources?: ResourceFields;
  resizePolicy?: { resourceName?: string; restartPolicy?: string }[] | null;
  volumeMounts?: MountFields[] | null;
  volumeDevices?: { name?: string; devicePath?: string }[] | null;
  restartPolicyRules?: RestartRuleFields[] | null;
  livenessProbe?: ProbeFields;
  readinessProbe?: ProbeFields;
  startupProbe?: ProbeFields;
  lifecycle?: { postStart?: HandlerFields; preStop?: HandlerFields; stopSignal?: string };
  securityContext?: object;
  [field: string]: unknown;
}

export interface PortFields {
  name?: string;
  containerPort?: number;
  hostPort?: number;
  protocol?: string;
  hostIP?: string;
}

export interface EnvFields {
  name?: string;
  value?: string;
  valueFrom?: {
    fieldRef?: FieldReference;
    resourceFieldRef?: ResourceReference;
    configMapKeyRef?: { name?: string; key?: string; optional?: boolean };
    secretKeyRef?: { name?: string; key?: string; optional?: boolean };
    fileKeyRef?: object;
  };
}

/** A field of the pod, such as `metadata.name`. */
export interface FieldReference {
  apiVersion?: string;
  fieldPath?: string;
}

/** A request or a limit of a container, such as `limits.cpu`, in units of the divisor. */
export interface ResourceReference {
  containerName?: string;
  resource?: string;
  divisor?: string;
}

export interface EnvFromFields {
  prefix?: string;
  configMapRef?: { name?: string; optional?: boolean };
  secretRef?: { name?: string; optional?: boolean };
}

export interface ResourceFields {
  requests?: Record<string, string>;
  limits?: Record<string, string>;
  claims?: { name?: string; request?: string }[] | null;
}

/** What a container does after it ended with some exit codes. */
export interface RestartRuleFields {
  action?: string;
  exitCodes?: { operator?: string; values?: number[] | null };
}

export interface MountFields {
  name?: string;
  mountPath?: string;
  readOnly?: boolean;
  subPath?: string;
  subPathExpr?: string;
  mountPropagation?: string;
  recursiveReadOnly?: string;
}

export interface HandlerFields {
  exec?: { command?: string[] };
  httpGet?: { path?: string; port?: number | string; scheme?: string; httpHeaders?: { name?: string }[] | null };
  tcpSocket?: { port?: number | string };
  grpc?: { port?: number; service?: string };
  sleep?: { seconds?: number };
}

export interface ProbeFields extends HandlerFields {
  initialDelaySeconds?: number;
  timeoutSeconds?: number;
  periodSeconds?: number;
  successThreshold?: number;
  failureThreshold?: number;
  terminationGracePeriodSeconds?: number;
}

/** A volume: its name, and one source under the source's own name. */
export interface VolumeFields {
  name?: string;
  secret?: { secretName?: string; defaultMode?: number; items?: ItemFields[]; optional?: boolean };
  configMap?: { name?: string; defaultMode?: number; items?: ItemFields[]; optional?: boolean };
  downwardAPI?: { defaultMode?: number; items?: DownwardFields[] | null };
  projected?: { defaultMode?: number; sources?: ProjectionFields[] | null };
  hostPath?: { path?: string; type?: string };
  persistentVolumeClaim?: { claimName?: string };
  image?: { reference?: string; pullPolicy?: string };
  ephemeral?: { volumeClaimTemplate?: { spec?: { volumeMode?: string } } };
  emptyDir?: { medium?: string; sizeLimit?: string };
  gitRepo?: { directory?: string };
  gcePersistentDisk?: { partition?: number };
  awsElasticBlockStore?: { partition?: number };
  nfs?: { path?: string };
  [source: string]: unknown;
}

/** A key that becomes a file. */
export interface ItemFields {
  key: string;
  path: string;
  mode?: number;
}

export interface ProjectionFields {
  serviceAccountToken?: { expirationSeconds?: number; path?: string; audience?: string };
  configMap?: { name?: string; items?: ItemFields[]; optional?: boolean };
  secret?: { name?: string; items?: ItemFields[]; optional?: boolean };
  downwardAPI?: { items?: DownwardFields[] | null };
  clusterTrustBundle?: TrustBundleProjection;
  podCertificate?: CertificateProjection;
}

/** A file with the certificates of one bundle, or of those of a signer that a selector finds; without one it finds none. */
export interface TrustBundleProjection {
  name?: string;
  signerName?: string;
  labelSelector?: LabelSelector;
  optional?: boolean;
  path?: string;
  user?: number;
}

/** Files with a key and the certificate that a signer issues for it. */
export interface CertificateProjection {
  signerName?: string;
  keyType?: string;
  maxExpirationSeconds?: number;
  /** The key, and behind it the certificates. */
  credentialBundlePath?: string;
  keyPath?: string;
  certificateChainPath?: string;
  userAnnotations?: Record<string, string>;
}

/** A file with a field of the pod. */
export interface DownwardFields {
  path?: string;
  fieldRef?: FieldReference;
  resourceFieldRef?: ResourceReference;
  mode?: number;
}

export interface TolerationFields {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
  tolerationSeconds?: number;
}

export interface NodeTermFields {
  matchExpressions?: { key: string; operator: string; values?: string[] }[] | null;
  matchFields?: { key: string; operator: string; values?: string[] }[] | null;
}

export interface PodTermFields {
  topologyKey?: string;
  labelSelector?: LabelSelector;
  namespaceSelector?: LabelSelector;
  namespaces?: string[] | null;
  matchLabelKeys?: string[] | null;
  mismatchLabelKeys?: string[] | null;
}

export interface PodAffinityFields {
  requiredDuringSchedulingIgnoredDuringExecution?: PodTermFields[];
  preferredDuringSchedulingIgnoredDuringExecution?: { weight: number; podAffinityTerm: PodTermFields }[];
}

export interface AffinityFields {
  nodeAffinity?: {
    requiredDuringSchedulingIgnoredDuringExecution?: { nodeSelectorTerms?: NodeTermFields[] | null };
    preferredDuringSchedulingIgnoredDuringExecution?: { weight: number; preference: NodeTermFields }[];
  };
  podAffinity?: PodAffinityFields;
  podAntiAffinity?: PodAffinityFields;
}

/** The lists of containers that a pod spec has. */
export type ContainerList = 'containers' | 'initContainers' | 'ephemeralContainers';

/** Every container of a pod spec, with its place. */
export function eachContainer(
  spec: PodSpecFields,
): { readonly list: ContainerList; readonly index: number; readonly container: ContainerFields }[] {
  const lists: readonly ContainerList[] = ['containers', 'initContainers', 'ephemeralContainers'];
  return lists.flatMap((list) => (spec[list] ?? []).map((container, index) => ({ list, index, container })));
}
