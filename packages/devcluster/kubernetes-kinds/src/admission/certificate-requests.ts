import { forbidden as forbiddenField } from '@slipway/api-machinery/errors/field-error';
import { forbidden, invalid } from '@slipway/api-machinery/errors/status-errors';
import { type Authorizer, masters } from '@slipway/api-machinery/identity/access';
import { equalJson } from '@slipway/api-machinery/json/json-value';
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
    if (mayUse(authorizer, user, verb, signer)) return;
    const why = `user not permitted to ${verb} requests with signerName ${JSON.stringify(signer)}`;
    throw forbidden(resource, object.metadata.name ?? '', why);
  };
}

/** Publishing the certificates of a signer takes a right of its own: the verb `attest` on `signers`. */
export function requireAttestRights(authorizer: Pick<Authorizer, 'authorize'>): AdmissionHook {
  return ({ resource, object, old, user }) => {
    if (!isOf(resource, 'clustertrustbundles')) return;
    const signer: string = object.spec?.signerName ?? '';
    if (signer === '' || equalJson(object.spec, old?.spec) || mayUse(authorizer, user, 'attest', signer)) return;
    const why = `user not permitted to attest for signerName ${JSON.stringify(signer)}`;
    throw forbidden(resource, object.metadata.name ?? '', why);
  };
}

/** Answering the request of a kubelet takes the verb `sign`, as `requireSignerRights` has it for other requests. */
export function requirePodSignerRights(authorizer: Pick<Authorizer, 'authorize'>): AdmissionHook {
  return ({ resource, subresource, object, old, user }) => {
    if (!isOf(resource, 'podcertificaterequests') || subresource !== 'status') return;
    const signer: string = old?.spec?.signerName ?? '';
    if (equalJson(object.status, old?.status) || mayUse(authorizer, user, 'sign', signer)) return;
    const [who, what] = [user.name, signer].map((text) => JSON.stringify(text));
    const problem = forbiddenField('spec.signerName', `User ${who} is not permitted to "sign" for signer ${what}`);
    throw invalid(resource.kind, group, object.metadata.name ?? '', [problem]);
  };
}

/** Whether a user may do that with a signer, or with all of its domain. */
function mayUse(
  authorizer: Pick<Authorizer, 'authorize'>,
  user: AdmissionRequest['user'],
  verb: string,
  signer: string,
): boolean {
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
  return names.some((name) => authorizer.authorize(user, { ...access, name }).allowed);
}

function isRequest({ resource }: AdmissionRequest): boolean {
  return isOf(resource, 'certificatesigningrequests');
}

function isOf(resource: AdmissionRequest['resource'], plural: string): boolean {
  return resource.group === group && resource.plural === plural;
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
