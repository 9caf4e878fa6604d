import type { Kube } from '@slipway/kube';
import { type PodCertificateRequest, podCertificateRequests } from '@slipway/kube-objects/kinds/api/certificates';
import { serviceAccounts } from '@slipway/kube-objects/kinds/api/core';
import type { Node } from '@slipway/kube-objects/kinds/api/nodes';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { CertificateProjection } from '@slipway/kube-objects/kinds/pod-spec';
import type { AwaitedSource } from './volumes/awaited-sources.js';
import { answered, lateness, maxJitterMs, type PodCertificate, renewed, requested } from './volumes/pod-certificate.js';
import { requestKey } from './volumes/stub-request.js';

export interface PodCertificatesOptions {
  readonly kube: Kube;
  /** The node as it is now. */
  readonly node: () => Node;
  readonly tell: (pod: Pod, type: 'Normal' | 'Warning', reason: string, message: string) => void;
}

const wanted: PodCertificate = { kind: 'wanted' };

/** Requests certificates for the volumes of the pods of one node, and renews them. Keys are kept in memory. */
export class PodCertificates {
  readonly #options: PodCertificatesOptions;
  readonly #byPod = new Map<string, Map<string, PodCertificate>>();

  constructor(options: PodCertificatesOptions) {
    this.#options = options;
  }

  /** Moves the certificate of one source on as far as the API server allows now. @throws StatusError */
  async advance(pod: Pod, { volume, index }: AwaitedSource, source: CertificateProjection): Promise<PodCertificate> {
    const { uid = '' } = pod.metadata;
    const ofPod = this.#byPod.get(uid) ?? new Map<string, PodCertificate>();
    this.#byPod.set(uid, ofPod);
    const key = `${volume}/${index}`;
    const advanced = await this.#next(pod, source, ofPod.get(key) ?? wanted);
    ofPod.set(key, advanced);
    return advanced;
  }

  /** The pod is gone, and its keys with it. */
  forget(uid: string): void {
    this.#byPod.delete(uid);
  }

  async #next(pod: Pod, source: CertificateProjection, before: PodCertificate): Promise<PodCertificate> {
    const { clock, random } = this.#options.kube;
    const jitterMs = random() * maxJitterMs;
    const certificate = this.#tellLateness(pod, renewed(before, clock.now()));
    if (certificate.kind === 'wanted') {
      return requested(certificate, await this.#request(pod, source), clock.now(), jitterMs);
    }
    if (certificate.kind !== 'requested') return certificate;
    const { namespace = '' } = pod.metadata;
    const ref = { namespace, name: certificate.request.name };
    const found = await this.#options.kube.resource(podCertificateRequests).find(ref);
    const now = answered(certificate, found, clock.now(), jitterMs);
    if (now.kind === 'refused') this.#tellRefusal(pod, ref, now);
    return now;
  }

  async #request(pod: Pod, source: CertificateProjection): Promise<{ readonly name: string; readonly key: string }> {
    const { kube, node } = this.#options;
    const { namespace = '', name = '', uid = '' } = pod.metadata;
    const { signerName = '', keyType = '', maxExpirationSeconds, userAnnotations } = source;
    const serviceAccountName = pod.spec.serviceAccountName ?? '';
    const account = await kube.resource(serviceAccounts).get({ namespace, name: serviceAccountName });
    const { metadata: nodeMetadata } = node();
    const { privateKey, stubRequest } = await requestKey(keyType);
    const request: PodCertificateRequest = {
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'PodCertificateRequest',
      metadata: {
        generateName: 'req-',
        namespace,
        ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid }],
      },
      spec: {
        signerName,
        podName: name,
        podUID: uid,
        serviceAccountName,
        serviceAccountUID: account.metadata.uid ?? '',
        nodeName: nodeMetadata.name ?? '',
        nodeUID: nodeMetadata.uid ?? '',
        stubPKCS10Request: stubRequest,
        ...(maxExpirationSeconds !== undefined && { maxExpirationSeconds }),
        ...(userAnnotations && { unverifiedUserAnnotations: userAnnotations }),
      },
    };
    const made = await kube.resource(podCertificateRequests).create(request);
    return { name: made.metadata.name ?? '', key: privateKey };
  }

  #tellLateness(pod: Pod, certificate: PodCertificate): PodCertificate {
    if (certificate.kind === 'refused' || !certificate.held) return certificate;
    const { held } = certificate;
    const reasons = lateness(held, this.#options.kube.clock.now());
    for (const reason of reasons) this.#options.tell(pod, 'Warning', reason, lateMessages[reason]);
    return { ...certificate, held: { ...held, told: [...(held.told ?? []), ...reasons] } };
  }

  /** In 1.37 kubelets take the reason for the format of the message, and Go puts the rest behind it. */
  #tellRefusal(
    pod: Pod,
    { namespace, name }: { readonly namespace: string; readonly name: string },
    { how, reason, message }: Extract<PodCertificate, { kind: 'refused' }>,
  ): void {
    const did = how === 'Denied' ? 'was denied' : 'failed';
    const [quotedReason, quotedMessage] = [reason, message].map((text) => JSON.stringify(text));
    const said = `PodCertificateRequest ${namespace}/${name} ${did}, reason=${quotedReason}, message=${quotedMessage}`;
    this.#options.tell(pod, 'Warning', how, `${reason}%!(EXTRA string=${said})`);
  }
}

const lateMessages = {
  CertificateOverdueForRefresh: 'PodCertificate refresh overdue',
  CertificateExpired: 'PodCertificate expired',
};
