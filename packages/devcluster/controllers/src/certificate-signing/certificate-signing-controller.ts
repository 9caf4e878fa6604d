import {
  Controller,
  errorMessage,
  isConditionTrue,
  type Reconciler,
  retryLostRaces,
  setCondition,
} from '@slipway/kube';
import {
  type CertificateSigningRequest,
  certificateSigningRequests,
} from '@slipway/kube-objects/kinds/api/certificates';
import { clientSigner, kubeletClientSigner, kubeletServingSigner } from '@slipway/kube-objects/rules/well-known';
import type { WorkloadDeps } from '../workloads/workload-deps.js';
import { type AskedCertificate, kubeletClientProblem, kubeletServingProblem } from './kubelet-certificates.js';

/** What a certificate is made of. */
export interface CertificateOrder {
  /** PEM of the request. */
  readonly request: string;
  readonly usages: readonly string[];
  readonly validSeconds: number;
  readonly nowMs: number;
}

/**
 * Signs with the authority of the cluster; resolves with PEM.
 * @throws Error when the request cannot be read
 */
export type SignCertificate = (order: CertificateOrder) => Promise<string>;

export interface CertificateSigningDeps extends WorkloadDeps {
  readonly sign: SignCertificate;
}

/** How long certificates are valid that do not say, and the longest they can ask for, as in Kubernetes. */
const validSeconds = 365 * 24 * 3_600;

/** What keeps each of our signers from signing a request, if anything does. */
const problemFor: Readonly<Record<string, (asked: AskedCertificate) => string | undefined>> = {
  [clientSigner]: ({ usages }) => usageProblem(usages ?? []),
  [kubeletClientSigner]: kubeletClientProblem,
  [kubeletServingSigner]: kubeletServingProblem,
};

/** Signs approved requests for the signers of Kubernetes; those for other signers are theirs. */
export function certificateSigningController(deps: CertificateSigningDeps): Controller {
  return new Controller({
    ...deps,
    name: 'certificate-controller',
    for: certificateSigningRequests,
    reconcile: retryLostRaces(certificateSigningReconciler(deps)),
  });
}

function certificateSigningReconciler({ kube, informers, sign }: Omit<CertificateSigningDeps, 'log'>): Reconciler {
  const requests = informers.informer(certificateSigningRequests);
  const client = kube.resource(certificateSigningRequests);

  return async (ref, { signal, now }) => {
    const request = requests.lister.get(ref);
    if (!request || !isToSign(request)) return;
    const nowMs = now();
    let certificate: string;
    try {
      const problem = problemFor[request.spec.signerName]?.(request.spec);
      if (problem !== undefined) return fail(request, problem);
      certificate = await sign({
        request: Buffer.from(request.spec.request, 'base64').toString('utf8'),
        usages: request.spec.usages ?? [],
        validSeconds: Math.min(request.spec.expirationSeconds ?? validSeconds, validSeconds),
        nowMs,
      });
    } catch (error) {
      return fail(request, errorMessage(error));
    }
    const signed = Buffer.from(certificate).toString('base64');
    await client.replaceStatus({ ...request, status: { ...request.status, certificate: signed } }, { signal });

    async function fail(failed: CertificateSigningRequest, message: string): Promise<void> {
      const finding = { type: 'Failed', status: 'True', reason: 'SignerValidationFailure', message } as const;
      const conditions = setCondition(failed.status?.conditions, finding, nowMs);
      await client.replaceStatus({ ...failed, status: { ...failed.status, conditions } }, { signal });
    }
  };
}

function isToSign({ spec, status }: CertificateSigningRequest): boolean {
  const conditions = status?.conditions;
  const isOver = isConditionTrue(conditions, 'Denied') || isConditionTrue(conditions, 'Failed') || status?.certificate;
  return Object.hasOwn(problemFor, spec.signerName) && isConditionTrue(conditions, 'Approved') && !isOver;
}

const required = 'client auth';
const allowed = [required, 'digital signature', 'key encipherment'];

/** What keeps these usages from being those of a client certificate. */
function usageProblem(usages: readonly string[]): string | undefined {
  const foreign = usages.filter((usage) => !allowed.includes(usage));
  if (!usages.includes(required)) return `usages must contain ${JSON.stringify(required)}`;
  return foreign.length === 0 ? undefined : `usages are not those of a client certificate: ${foreign.join(', ')}`;
}
