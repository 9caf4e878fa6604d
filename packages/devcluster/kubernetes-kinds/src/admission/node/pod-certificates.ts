import type { AdmissionReader, Attributes } from '@slipway/api-server/attributes/admission';
import type { KubeObject } from '@slipway/kube';
import type { PodSpecFields } from '@slipway/kube-objects/kinds/pod-spec';
import { mirrorAnnotation } from '@slipway/kube-objects/rules/well-known';

/**
 * Describes why a kubelet may not request a certificate: it is for a pod of another node, or for one that does not
 * mount a certificate of this signer. Undefined when it may.
 */
export function judgePodCertificate(
  node: string,
  { operation, subresource, namespace, object }: Attributes,
  store: AdmissionReader,
): string | undefined {
  if (operation !== 'CREATE') return `unexpected operation ${operation}`;
  if (subresource !== '') return `unexpected subresource ${subresource}`;
  const { nodeName = '', nodeUID = '', podName = '', podUID = '', signerName = '', ...account } = object?.spec ?? {};
  const { serviceAccountName = '', serviceAccountUID = '' } = account;
  const quoted = (text: unknown) => JSON.stringify(text ?? '');
  const fullName = (name: string) => quoted(`${namespace}/${name}`);
  const ofPod = `PodCertificateRequest for pod ${fullName(podName)}`;
  const isMissing = (what: string, name: string) =>
    `while retrieving ${what} ${name} named in the PodCertificateRequest`;

  if (nodeName !== node) {
    return `PodCertificateRequest.Spec.NodeName=${quoted(nodeName)}, which is not the requesting node ${quoted(node)}`;
  }
  const { uid: uidOfNode } = store.latest('nodes', '', node)?.object.metadata ?? {};
  if (uidOfNode === undefined) return isMissing('node', quoted(node));
  if (uidOfNode !== nodeUID) {
    return `${ofPod} names node UID ${quoted(nodeUID)}, inconsistent with the running node (${quoted(uidOfNode)})`;
  }
  const pod = store.latest('pods', namespace, podName)?.object;
  if (!pod) return isMissing('pod', fullName(podName));
  if (pod.metadata.uid !== podUID) {
    return `${ofPod} contains pod UID (${quoted(podUID)}) which differs from running pod ${quoted(pod.metadata.uid)}`;
  }
  if (pod.spec?.nodeName !== node) {
    return `pod ${fullName(podName)} is not running on node ${quoted(node)} named in the PodCertificateRequest`;
  }
  if (Object.hasOwn(pod.metadata.annotations ?? {}, mirrorAnnotation))
    return `pod ${fullName(podName)} is a mirror pod`;
  const accountOfPod: string = pod.spec.serviceAccountName ?? '';
  if (accountOfPod !== serviceAccountName) {
    return `${ofPod} contains serviceAccountName (${quoted(serviceAccountName)}) that differs from running pod (${quoted(accountOfPod)})`;
  }
  const uidOfAccount = store.latest('serviceaccounts', namespace, serviceAccountName)?.object.metadata.uid;
  if (uidOfAccount === undefined) return isMissing('service account', fullName(serviceAccountName));
  if (uidOfAccount !== serviceAccountUID) {
    return `${ofPod} names service account UID ${quoted(serviceAccountUID)}, which differs from the running service account (${quoted(uidOfAccount)})`;
  }
  if (mountsCertificateOf(pod, signerName)) return undefined;
  return `pod ${fullName(podName)} does not mount a podCertificate projected volume for signer ${quoted(signerName)}`;
}

function mountsCertificateOf({ spec }: KubeObject, signerName: string): boolean {
  const { volumes } = spec as PodSpecFields;
  const sources = (volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);
  return sources.some(({ podCertificate }) => podCertificate?.signerName === signerName);
}
