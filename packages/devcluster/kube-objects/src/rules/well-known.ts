/** On a pod that stands for a static one: which of them. */
export const mirrorAnnotation = 'kubernetes.io/config.mirror';

/** Finalizers of claims and volumes in use; their controllers remove them. */
export const claimProtection = 'kubernetes.io/pvc-protection';
export const volumeProtection = 'kubernetes.io/pv-protection';

/** Signs certificates that the API server takes as who its bearer is. */
export const clientSigner = 'kubernetes.io/kube-apiserver-client';
/** The same for kubelets only, whose requests may be approved automatically. */
export const kubeletClientSigner = 'kubernetes.io/kube-apiserver-client-kubelet';
/** Signs certificates by which a kubelet is known to those who talk to it. */
export const kubeletServingSigner = 'kubernetes.io/kubelet-serving';

/** The node that a claim's first pod goes to, for classes that wait for it. */
export const selectedNode = 'volume.kubernetes.io/selected-node';

/** Type of the secrets that hold a token of a service account, and the annotations that say of which. */
export const tokenSecretType = 'kubernetes.io/service-account-token';
export const accountNameAnnotation = 'kubernetes.io/service-account.name';
export const accountUidAnnotation = 'kubernetes.io/service-account.uid';
