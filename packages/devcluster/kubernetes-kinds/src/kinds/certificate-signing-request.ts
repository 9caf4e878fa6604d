import { oneOf } from '@slipway/api-machinery/errors/field-checks';
import { duplicate, type FieldError, invalid, required } from '@slipway/api-machinery/errors/field-error';
import { repeatsIn } from '@slipway/api-machinery/errors/repeats';
import { ageColumn, textColumn } from '@slipway/api-server/registry/columns';
import { defineResource, restore } from '@slipway/api-server/registry/define-resource';
import type { WriteContext } from '@slipway/api-server/registry/resource-definition';
import type { KubeObject } from '@slipway/kube';
import { CertificateRequestError, requestedSubject } from '@slipway/kube-objects/rules/certificate-request';
import { humanDuration } from '@slipway/kube-objects/rules/human-duration';
import { type ConditionFields, validateStatus } from './certificate-request-status.js';
import { validateSignerName } from './signer-name.js';

interface RequestSpecFields {
  request?: string;
  signerName?: string;
  usages?: string[] | null;
  username?: string;
  expirationSeconds?: number;
}

/** A request for a certificate. The server records the requester; the request cannot name one. */
export const certificateSigningRequests = defineResource({
  group: 'certificates.k8s.io',
  version: 'v1',
  kind: 'CertificateSigningRequest',
  plural: 'certificatesigningrequests',
  shortNames: ['csr'],
  namespaced: false,
  message: 'certificates.v1.CertificateSigningRequest',
  subresources: { status: true, approval: true },
  prepareForUpdate,
  // What is asked for never changes: it has no owner.
  resetFields: {
    '': { 'f:spec': {}, 'f:status': {} },
    status: { 'f:spec': {}, 'f:status': { 'f:conditions': {} } },
    approval: { 'f:spec': {}, 'f:status': { 'f:certificate': {} } },
  },
  validate: ({ spec }) => validateSpec(spec ?? {}),
  validateUpdate: ({ status }, old, subresource, version) =>
    validateStatus(status ?? {}, old.status ?? {}, subresource, version),
  selectableFields: { 'spec.signerName': ({ spec }) => spec?.signerName ?? '' },
  columns: [
    ageColumn,
    textColumn('SignerName', 'Who shall sign it.', ({ spec }) => spec?.signerName ?? '<none>'),
    textColumn('Requestor', 'Who asks.', ({ spec }) => spec?.username ?? ''),
    textColumn('RequestedDuration', 'How long it shall be valid.', ({ spec }) =>
      spec?.expirationSeconds === undefined ? '<none>' : humanDuration(spec.expirationSeconds * 1000),
    ),
    textColumn('Condition', 'How far it is.', stateOf),
  ],
});

/** Approving changes conditions alone, and what was asked for never changes. */
function prepareForUpdate(request: KubeObject, old: KubeObject, { subresource, nowMs }: WriteContext): void {
  restore(request, structuredClone(old), 'spec');
  if (subresource === 'approval') {
    const conditions: unknown = request.status?.conditions;
    const { conditions: _before, ...status } = structuredClone(old.status ?? {});
    request.status = { ...status, ...(conditions !== undefined && { conditions }) };
  }
  if (subresource === '') return;
  const now = `${new Date(nowMs).toISOString().slice(0, 19)}Z`;
  const before: readonly ConditionFields[] = old.status?.conditions ?? [];
  for (const condition of (request.status?.conditions ?? []) as ConditionFields[]) {
    const same = before.find(({ type, status }) => type === condition.type && status === condition.status);
    condition.lastUpdateTime ||= now;
    condition.lastTransitionTime ||= same?.lastTransitionTime || now;
  }
}

/** Every use of a key that can be asked for. */
const usages = [
  'signing',
  'digital signature',
  'content commitment',
  'key encipherment',
  'key agreement',
  'data encipherment',
  'cert sign',
  'crl sign',
  'encipher only',
  'decipher only',
  'any',
  'server auth',
  'client auth',
  'code signing',
  'email protection',
  's/mime',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'timestamping',
  'ocsp signing',
  'microsoft sgc',
  'netscape sgc',
].sort();
const shortestSeconds = 600;

function validateSpec({ request = '', signerName = '', usages: given, expirationSeconds }: RequestSpecFields) {
  const asked = given ?? [];
  const isTwice = repeatsIn(asked);
  return [
    ...validateRequest(request),
    ...(asked.length === 0 ? [required('spec.usages')] : []),
    ...asked.flatMap((usage, index) => [
      ...oneOf(`spec.usages[${index}]`, usage, usages),
      ...(isTwice(index) ? [duplicate(`spec.usages[${index}]`, usage)] : []),
    ]),
    ...validateSigner(signerName),
    ...(expirationSeconds !== undefined && expirationSeconds < shortestSeconds
      ? [
          invalid(
            'spec.expirationSeconds',
            expirationSeconds,
            'may not specify a duration less than 600 seconds (10 minutes)',
          ),
        ]
      : []),
  ];
}

function validateRequest(request: string): FieldError[] {
  try {
    requestedSubject(request);
    return [];
  } catch (error) {
    if (!(error instanceof CertificateRequestError)) throw error;
    return [invalid('spec.request', request, error.message)];
  }
}

function validateSigner(signerName: string): FieldError[] {
  const field = 'spec.signerName';
  return signerName === 'kubernetes.io/legacy-unknown'
    ? [invalid(field, signerName, 'the legacy signerName is not allowed via this API version')]
    : validateSignerName(signerName, field);
}

function stateOf({ status }: KubeObject): string {
  const types = ((status?.conditions ?? []) as ConditionFields[]).map(({ type }) => type);
  const decision = types.includes('Denied') ? 'Denied' : types.includes('Approved') ? 'Approved' : 'Pending';
  return [decision, ...(types.includes('Failed') ? ['Failed'] : []), ...(status?.certificate ? ['Issued'] : [])].join(
    ',',
  );
}
