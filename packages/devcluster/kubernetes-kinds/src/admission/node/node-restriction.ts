import { forbidden } from '@slipway/api-machinery/errors/status-errors';
import { equalJson } from '@slipway/api-machinery/json/json-value';
import type { AdmissionCheck, AdmissionReader, Attributes } from '@slipway/api-server/attributes/admission';
import { podUses } from '@slipway/api-server/auth/node/pod-uses';
import type { KubeObject } from '@slipway/kube';
import { CertificateRequestError, requestedSubject } from '@slipway/kube-objects/rules/certificate-request';
import { nodeName, nodeUser } from '@slipway/kube-objects/rules/node-name';
import { kubeletClientSigner, kubeletServingSigner, mirrorAnnotation } from '@slipway/kube-objects/rules/well-known';
import { mayKubeletSet } from './kubelet-labels.js';
import { judgePodCertificate } from './pod-certificates.js';

const leaseNamespace = 'kube-node-lease';

/**
 * Keeps each kubelet to what is its own: its node and lease, the status of pods bound
 * to it, mirror pods, and tokens of pods it runs. What others write is none of its business.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#noderestriction
 */
export const restrictNodes: AdmissionCheck = (attributes, reader) => {
  const node = nodeName(attributes.user);
  const why = node === undefined ? undefined : whyNot(reader, node, attributes);
  if (why !== undefined) throw forbidden(attributes.resource, attributes.name, why);
};

function whyNot(store: AdmissionReader, node: string, attributes: Attributes): string | undefined {
  const { resource, user } = attributes;
  if (node === '') return `could not determine node from user ${JSON.stringify(user.name)}`;
  return judges[`${resource.plural}.${resource.group}`]?.(node, attributes, store);
}

type Judge = (node: string, attributes: Attributes, store: AdmissionReader) => string | undefined;

const judges: Readonly<Record<string, Judge | undefined>> = {
  'pods.': (node, attributes, store) => {
    const judge = ofPods[attributes.subresource];
    if (judge) return judge(node, attributes, store);
    const subresource = JSON.stringify(attributes.subresource);
    return `unexpected pod subresource ${subresource}, only 'status' and 'eviction' are allowed`;
  },
  'nodes.': judgeNode,
  'serviceaccounts.': judgeToken,
  'leases.coordination.k8s.io': judgeLease,
  'certificatesigningrequests.certificates.k8s.io': judgeCertificateRequest,
  'podcertificaterequests.certificates.k8s.io': judgePodCertificate,
};

const ofPods: Readonly<Record<string, Judge | undefined>> = {
  '': judgePod,
  status: judgePodStatus,
  eviction: (node, { namespace, name }, store) =>
    isOn(node, store.latest('pods', namespace, name)?.object)
      ? undefined
      : `node ${node} can only evict pods with spec.nodeName set to itself`,
};

function judgePod(node: string, { operation, object, old }: Attributes, store: AdmissionReader): string | undefined {
  const who = `node ${JSON.stringify(node)}`;
  if (operation === 'DELETE') {
    return isOn(node, old) ? undefined : `${who} can only delete pods with spec.nodeName set to itself`;
  }
  if (operation === 'UPDATE') {
    return `unexpected operation "UPDATE", ${who} can only create and delete mirror pods`;
  }
  return object && judgeMirrorPod(node, object, store);
}

/** A mirror pod shows one that the kubelet has from elsewhere: it can only be about this node, and name nothing secret. */
function judgeMirrorPod(node: string, pod: KubeObject, store: AdmissionReader): string | undefined {
  const who = `node ${JSON.stringify(node)}`;
  const { annotations = {}, ownerReferences = [] } = pod.metadata;
  if (!Object.hasOwn(annotations, mirrorAnnotation)) {
    return `pod does not have ${JSON.stringify(mirrorAnnotation)} annotation, ${who} can only create mirror pods`;
  }
  if (!isOn(node, pod)) return `${who} can only create pods with spec.nodeName set to itself`;
  const [owner, another] = ownerReferences;
  if (another) return `${who} can only create pods with a single owner reference set to itself`;
  if (owner?.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== node) {
    return `${who} can only create pods with an owner reference set to itself`;
  }
  if (!owner.controller) return `${who} can only create pods with a controller owner reference set to itself`;
  if (owner.blockOwnerDeletion) return `${who} must not set blockOwnerDeletion on an owner reference`;
  const uid = store.latest('nodes', '', node)?.object.metadata.uid ?? '';
  if (owner.uid !== uid) return `node ${node} UID mismatch: expected ${owner.uid} got ${uid}`;
  const named = namedKinds.find(([resource]) => podUses(pod, resource));
  return named && `${who} can not create pods that reference ${named[1]}`;
}

const namedKinds = [
  ['serviceaccounts', 'a service account'],
  ['secrets', 'secrets'],
  ['configmaps', 'configmaps'],
  ['persistentvolumeclaims', 'persistentvolumeclaims'],
] as const;

function judgePodStatus(node: string, { object, old }: Attributes): string | undefined {
  const who = `node ${JSON.stringify(node)}`;
  if (!isOn(node, old)) return `${who} can only update pod status for pods with spec.nodeName set to itself`;
  const labels = (pod: KubeObject | undefined) => pod?.metadata.labels ?? {};
  return equalJson(labels(object), labels(old)) ? undefined : `${who} cannot update labels through pod status`;
}

function judgeNode(node: string, { operation, name, object, old }: Attributes): string | undefined {
  const who = `node ${JSON.stringify(node)}`;
  if (name !== node) return `${who} is not allowed to modify node ${JSON.stringify(name)}`;
  if (operation === 'DELETE' || !object) return undefined;
  if (old && !equalJson(object.spec?.taints ?? [], old.spec?.taints ?? [])) {
    return `${who} is not allowed to modify taints`;
  }
  const refused = changedLabels(object, old).filter((label) => !mayKubeletSet(label));
  if (refused.length === 0) return undefined;
  const list = refused.sort().join(', ');
  return old
    ? `is not allowed to modify labels: ${list}`
    : `${who} is not allowed to set the following labels: ${list}`;
}

function changedLabels(object: KubeObject, old: KubeObject | undefined): string[] {
  const [now, before] = [object.metadata.labels ?? {}, old?.metadata.labels ?? {}];
  return [...new Set([...Object.keys(now), ...Object.keys(before)])].filter((label) => now[label] !== before[label]);
}

function judgeToken(node: string, { subresource, namespace, object }: Attributes, store: AdmissionReader) {
  if (subresource !== 'token') return undefined;
  const { apiVersion, kind, name = '', uid = '' } = object?.spec?.boundObjectRef ?? {};
  if (apiVersion !== 'v1' || kind !== 'Pod' || name === '') return 'node requested token not bound to a pod';
  if (uid === '') return 'node requested token with a pod binding without a uid';
  const pod = store.latest('pods', namespace, name)?.object;
  return isOn(node, pod) ? undefined : 'node requested token bound to a pod scheduled on a different node';
}

function judgeLease(node: string, { namespace, name }: Attributes): string | undefined {
  if (namespace !== leaseNamespace) return `can only access leases in the "${leaseNamespace}" system namespace`;
  return name === node ? undefined : 'can only access node lease with the same name as the requesting node';
}

/** A kubelet asks for certificates of its own node alone; what else is wrong with a request its signer says. */
function judgeCertificateRequest(node: string, { operation, object }: Attributes): string | undefined {
  const { signerName, request = '' } = object?.spec ?? {};
  if (operation !== 'CREATE' || ![kubeletClientSigner, kubeletServingSigner].includes(signerName)) return undefined;
  try {
    const { name } = nodeUser(node);
    const isOwn = requestedSubject(request).commonNames.at(-1) === name;
    return isOwn ? undefined : `can only create a node CSR with CN=${name}`;
  } catch (error) {
    if (!(error instanceof CertificateRequestError)) throw error;
    return `unable to parse csr: ${error.message}`;
  }
}

function isOn(node: string, pod: KubeObject | undefined): boolean {
  return pod?.spec?.nodeName === node;
}
