import { Controller, isConditionTrue, type Reconciler, setCondition } from '@slipway/kube';
import { clientSigner } from '../../admission/certificate-requests.js';
import { type CertificateSigningRequest, certificateSigningRequests } from '../api/certificates.js';
import { retryLostRaces } from '../lost-race.js';
import type { WorkloadDeps } from '../replica-set/replica-set-controller.js';

/** What a client certificate is made of. */
export interface ClientCertificateOrder {
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
export type SignClientCertificate = (order: ClientCertificateOrder) => Promise<string>;

export interface CertificateSigningDeps extends WorkloadDeps {
  readonly sign: SignClientCertificate;
}

/** How long certificates are valid that do not say, and the longest they can ask for, as in Kubernetes. */
const validSeconds = 365 * 24 * 3_600;

/** Signs approved requests for `kubernetes.io/kube-apiserver-client`; those for other signers are theirs. */
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
    const problem = usageProblem(request.spec.usages ?? []);
    const nowMs = now();
    if (problem !== undefined) return fail(request, problem);
    let certificate: string;
    try {
      certificate = await sign({
        request: Buffer.from(request.spec.request, 'base64').toString('utf8'),
        usages: request.spec.usages ?? [],
        validSeconds: Math.min(request.spec.expirationSeconds ?? validSeconds, validSeconds),
        nowMs,
      });
    } catch (error) {
      return fail(request, error instanceof Error ? error.message : String(error));
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
  return spec.signerName === clientSigner && isConditionTrue(conditions, 'Approved') && !isOver;
}

const required = 'client auth';
const allowed = [required, 'digital signature', 'key encipherment'];

/** What keeps these usages from being those of a client certificate. */
function usageProblem(usages: readonly string[]): string | undefined {
  const foreign = usages.filter((usage) => !allowed.includes(usage));
  if (!usages.includes(required)) return `usages must contain ${JSON.stringify(required)}`;
  return foreign.length === 0 ? undefined : `usages are not those of a client certificate: ${foreign.join(', ')}`;
}
