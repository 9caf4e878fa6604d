import { forbidden } from '@slipway/api-machinery/errors/status-errors';
import { type Authorizer, masters } from '@slipway/api-machinery/identity/access';
import type { AdmissionHook, AdmissionRequest } from '@slipway/api-server/attributes/admission';
import { CertificateRequestError, requestedSubject } from '@slipway/kube-objects/rules/certificate-request';
import { clientSigner } from '@slipway/kube-objects/rules/well-known';

const group = 'certificates.k8s.io';

/**
 * Records the requester of a certificate, and rejects requests for a client certificate of the administrators' group.
 */
export const stampRequester: AdmissionHook = (request) => {
  if (!isRequest(request) || request.operation !== 'CREATE') return;
  const { resource, object, user } = request;
  const { name, uid, groups, extra } = user;
  object.spec ??= {};
  Object.assign(object.spec, { username: name, groups: [...groups] });
  if (uid) object.spec.uid = uid;
  else delete object.spec.uid;
  if (extra && Object.keys(extra).length > 0) object.spec.extra = extra;
  else delete object.spec.extra;
  const { signerName } = object.spec;
  if (signerName !== clientSigner || !organizationsOf(object.spec.request).includes(masters)) return;
  const why = `use of ${signerName} signer with ${masters} group is not allowed`;
  throw forbidden(resource, object.metadata.name ?? '', why);
};

/** Approving and signing take a right of their own, for the signer: the verbs `approve` and `sign` on `signers`. */
export function requireSignerRights(authorizer: Pick<Authorizer, 'authorize'>): AdmissionHook {
  return (request) => {
    if (!isRequest(request) || request.operation !== 'UPDATE') return;
    const { resource, subresource, object, old, user } = request;
    const signs = subresource === 'status' && signatureOf(object) !== signatureOf(old);
    if (subresource !== 'approval' && !signs) return;
    const verb = subresource === 'approval' ? 'approve' : 'sign';
    const signer: string = old?.spec?.signerName ?? '';
    const access = {
      kind: 'resource',
      verb,
      group,
      version: '*',
      resource: 'signers',
      subresource: '',
      namespace: '',
    } as const;
    const names = [signer, `${signer.slice(0, signer.indexOf('/'))}/*`];
    if (names.some((name) => authorizer.authorize(user, { ...access, name }).allowed)) return;
    const why = `user not permitted to ${verb} requests with signerName ${JSON.stringify(signer)}`;
    throw forbidden(resource, object.metadata.name ?? '', why);
  };
}

function isRequest({ resource }: AdmissionRequest): boolean {
  return resource.group === group && resource.plural === 'certificatesigningrequests';
}

/** What only a signer writes: the certificate, or that there will be none. */
function signatureOf(request: AdmissionRequest['old']): string {
  const conditions: readonly { type: string }[] = request?.status?.conditions ?? [];
  return JSON.stringify([request?.status?.certificate, conditions.find(({ type }) => type === 'Failed')]);
}

/** A request that cannot be read is refused by its validation. */
function organizationsOf(request: unknown): readonly string[] {
  try {
    return requestedSubject(typeof request === 'string' ? request : '').organizations;
  } catch (error) {
    if (error instanceof CertificateRequestError) return [];
    throw error;
  }
}
