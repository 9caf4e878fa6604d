import { Controller, isConditionTrue, type Reconciler, retryLostRaces, setCondition } from '@slipway/kube';
import {
  type CertificateSigningRequest,
  certificateSigningRequests,
  subjectAccessReviews,
} from '@slipway/kube-objects/kinds/api/certificates';
import { CertificateRequestError, requestedSubject } from '@slipway/kube-objects/rules/certificate-request';
import { kubeletClientSigner } from '@slipway/kube-objects/rules/well-known';
import type { WorkloadDeps } from '../workloads/workload-deps.js';
import { kubeletClientProblem } from './kubelet-certificates.js';

/** Who lacks the right now may be given it. */
const askAgainMs = 10_000;

/**
 * Approves requests of kubelets for their client certificates, where whoever asks has the right to that: to create
 * `selfnodeclient` of requests for its own certificate, or `nodeclient` for any.
 */
export function certificateApprovingController(deps: WorkloadDeps): Controller {
  return new Controller({
    ...deps,
    name: 'certificate-approver',
    for: certificateSigningRequests,
    reconcile: retryLostRaces(certificateApprovingReconciler(deps)),
  });
}

function certificateApprovingReconciler({ kube, informers }: Omit<WorkloadDeps, 'log'>): Reconciler {
  const requests = informers.informer(certificateSigningRequests);
  const client = kube.resource(certificateSigningRequests);

  return async (ref, { signal, now }) => {
    const request = requests.lister.get(ref);
    if (!request || isDecided(request) || !isOfKubelet(request)) return undefined;
    for (const { right, isMeant, message } of approvals) {
      if (!isMeant(request) || !(await mayAskFor(request, right, signal))) continue;
      const approved = { type: 'Approved', status: 'True', reason: 'AutoApproved', message } as const;
      const conditions = setCondition(request.status?.conditions, approved, now());
      const metadata = { resourceVersion: request.metadata.resourceVersion };
      await client.merge(ref, { metadata, status: { conditions } }, { subresource: 'approval', signal });
      return undefined;
    }
    return { requeueAfterMs: askAgainMs };
  };

  /** Whether who made the request may create `right` of certificate signing requests. */
  async function mayAskFor({ spec }: CertificateSigningRequest, right: string, signal: AbortSignal): Promise<boolean> {
    const { username: user, uid, groups, extra } = spec;
    const resourceAttributes = {
      group: certificateSigningRequests.group,
      version: '*',
      resource: certificateSigningRequests.plural,
      subresource: right,
      verb: 'create',
    };
    const { group, version, kind } = subjectAccessReviews;
    const review = {
      apiVersion: `${group}/${version}`,
      kind,
      metadata: {},
      spec: {
        ...(user && { user }),
        ...(uid && { uid }),
        ...(groups && { groups }),
        ...(extra && { extra }),
        resourceAttributes,
      },
    };
    const { status } = await kube.resource(subjectAccessReviews).create(review, { signal });
    return status?.allowed === true;
  }
}

interface Approval {
  readonly right: string;
  readonly isMeant: (request: CertificateSigningRequest) => boolean;
  readonly message: string;
}

const approvals: readonly Approval[] = [
  {
    right: 'selfnodeclient',
    isMeant: ({ spec }) => requestedSubject(spec.request).commonNames.at(-1) === spec.username,
    message: 'Auto approving self kubelet client certificate after SubjectAccessReview.',
  },
  {
    right: 'nodeclient',
    isMeant: () => true,
    message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
  },
];

function isDecided({ status }: CertificateSigningRequest): boolean {
  const conditions = status?.conditions;
  return (
    isConditionTrue(conditions, 'Approved') || isConditionTrue(conditions, 'Denied') || Boolean(status?.certificate)
  );
}

/** What cannot be read was refused before it was stored, unless another version of the server took it. */
function isOfKubelet({ spec }: CertificateSigningRequest): boolean {
  try {
    return spec.signerName === kubeletClientSigner && kubeletClientProblem(spec) === undefined;
  } catch (error) {
    if (error instanceof CertificateRequestError) return false;
    throw error;
  }
}
