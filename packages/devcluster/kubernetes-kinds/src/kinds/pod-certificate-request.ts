import { invalidBecause } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, invalid, notSupported, required, tooLong } from '@slipway/api-machinery/errors/field-error';
import { omitted } from '@slipway/api-machinery/errors/field-errors';
import { subdomainProblems } from '@slipway/api-machinery/errors/names';
import { equalJson } from '@slipway/api-machinery/json/json-value';
import { textColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import { isConditionTrue, type KubeObject } from '@slipway/kube';
import { maxCertificateSeconds, minCertificateSeconds, validateSignerAnnotations } from './certificate-terms.js';
import { type ConditionFields, validateConditions } from './condition-validation.js';
import { validateIssued } from './pod-certificate-chain.js';
import { validateRequestedKey } from './pod-certificate-key.js';
import { validateSignerName } from './signer-name.js';

interface RequestFields {
  readonly signerName?: string;
  readonly podName?: string;
  readonly podUID?: string;
  readonly serviceAccountName?: string;
  readonly serviceAccountUID?: string;
  readonly nodeName?: string;
  readonly nodeUID?: string;
  readonly maxExpirationSeconds?: number;
  readonly stubPKCS10Request?: string | null;
  readonly unverifiedUserAnnotations?: Readonly<Record<string, string>> | null;
}

/** Kept for those who apply it: what a kubelet asks a signer for when a pod mounts a certificate. */
export const podCertificateRequests = defineResource({
  group: 'certificates.k8s.io',
  version: 'v1',
  since: '1.37',
  storageVersion: 'v1beta1',
  kind: 'PodCertificateRequest',
  plural: 'podcertificaterequests',
  namespaced: true,
  mustNameVersion: true,
  nameRules: 'create',
  statusKeeps: 'metadata',
  message: 'certificates.v1.PodCertificateRequest',
  subresources: { status: true },
  defaults: (request) => {
    request.spec ??= {};
    request.spec.maxExpirationSeconds ??= 24 * 60 * 60;
  },
  validateCreate: ({ spec }) => validateSpec(spec ?? {}),
  validateUpdate: ({ spec, status }, old, subresource) =>
    subresource === 'status'
      ? validateStatus(status ?? {}, old)
      : equalJson(spec, old.spec)
        ? []
        : [invalid('spec', asGoStruct(spec), 'field is immutable')],
  selectableFields: {
    'spec.signerName': ({ spec }) => spec?.signerName ?? '',
    'spec.podName': ({ spec }) => spec?.podName ?? '',
    'spec.nodeName': ({ spec }) => spec?.nodeName ?? '',
  },
  columns: [
    textColumn('PodName', 'Pod that mounts the certificate.', ({ spec }) => spec?.podName ?? ''),
    textColumn('ServiceAccountName', 'Service account of the pod.', ({ spec }) => spec?.serviceAccountName ?? ''),
    textColumn('NodeName', 'Node of the pod.', ({ spec }) => spec?.nodeName ?? ''),
    textColumn('SignerName', 'Signer that issues the certificate.', ({ spec }) => spec?.signerName ?? ''),
    textColumn('State', 'How far it is.', stateOf),
    textColumn('UnverifiedUserAnnotations', 'What the pod adds for the signer.', annotationsOf),
  ],
});

/** The specification as Kubernetes prints it in an error: its Go struct. */
function asGoStruct(spec: RequestFields) {
  return {
    SignerName: spec.signerName ?? '',
    PodName: spec.podName ?? '',
    PodUID: spec.podUID ?? '',
    ServiceAccountName: spec.serviceAccountName ?? '',
    ServiceAccountUID: spec.serviceAccountUID ?? '',
    NodeName: spec.nodeName ?? '',
    NodeUID: spec.nodeUID ?? '',
    MaxExpirationSeconds: spec.maxExpirationSeconds ?? null,
    PKIXPublicKey: null,
    ProofOfPossession: null,
    StubPKCS10Request: spec.stubPKCS10Request ?? null,
    UnverifiedUserAnnotations: spec.unverifiedUserAnnotations ?? null,
  };
}

const maxUid = 128;

function validateSpec(spec: RequestFields): FieldError[] {
  const { signerName = '', unverifiedUserAnnotations: annotations, maxExpirationSeconds: seconds } = spec;
  const name = (field: string, value = '') => invalidBecause(field, value, subdomainProblems(value));
  const uid = (field: string, value = '') => [
    ...(value === '' ? [invalid(field, value, 'must not be empty')] : []),
    ...(Buffer.byteLength(value) > maxUid ? [tooLong(field, maxUid)] : []),
  ];
  const errors = [
    ...validateSignerName(signerName, 'spec.signerName'),
    ...validateSignerAnnotations(annotations ?? {}, 'spec.unverifiedUserAnnotations'),
    ...name('spec.podName', spec.podName),
    ...uid('spec.podUID', spec.podUID),
    ...name('spec.serviceAccountName', spec.serviceAccountName),
    ...uid('spec.serviceAccountUID', spec.serviceAccountUID),
    ...name('spec.nodeName', spec.nodeName),
    ...uid('spec.nodeUID', spec.nodeUID),
  ];
  if (seconds === undefined) return [...errors, required('spec.maxExpirationSeconds', 'must be set')];
  return [...errors, ...validateSeconds(seconds, signerName), ...validateRequestedKey(spec.stubPKCS10Request ?? '')];
}

function validateSeconds(seconds: number, signerName: string): FieldError[] {
  const maxSeconds = maxCertificateSeconds(signerName);
  if (seconds >= minCertificateSeconds && seconds <= maxSeconds) return [];
  return [
    invalid('spec.maxExpirationSeconds', seconds, `must be in the range [${minCertificateSeconds}, ${maxSeconds}]`),
  ];
}

interface RequestStatusFields {
  readonly conditions?: readonly ConditionFields[] | null;
  readonly certificateChain?: string;
}

const ends = ['Issued', 'Denied', 'Failed'];

/** A signer ends a request once, with everything that it has to say. */
function validateStatus(status: RequestStatusFields, old: KubeObject): FieldError[] {
  const now = status.conditions ?? [];
  const errors = [...now.flatMap(validateEnd(now)), ...validateConditions(now, 'status.conditions')];
  if (errors.length > 0) return errors;

  const changed = (before: unknown, detail: string) =>
    equalJson(status, before ?? {}) ? [] : [invalid('status', omitted, detail)];
  const before: readonly ConditionFields[] = old.status?.conditions ?? [];
  if (ends.some((type) => isConditionTrue(before, type))) {
    return changed(old.status, 'immutable after PodCertificateRequest is issued, denied, or failed');
  }
  if (isConditionTrue(now, 'Denied') || isConditionTrue(now, 'Failed')) {
    const detail = 'non-condition status fields must be empty when denying or failing the PodCertificateRequest';
    return changed({ conditions: now }, detail);
  }
  if (isConditionTrue(now, 'Issued')) return validateIssued(status, old.spec);
  return changed(old.status, 'status is immutable unless transitioning to "Issued", "Denied", or "Failed"');
}

function validateEnd(all: readonly ConditionFields[]) {
  const first = all.findIndex(({ type = '' }) => ends.includes(type));
  return ({ type = '', status = '' }: ConditionFields, index: number): FieldError[] => {
    // A path in which the index is a field, as Kubernetes has it.
    const field = `status.conditions.[${index}]`;
    if (!ends.includes(type)) return [notSupported(`${field}.type`, type, [...ends].sort())];
    const detail = 'There may be at most one condition with type "Issued", "Denied", or "Failed"';
    return [
      ...(index > first ? [invalid(`${field}.type`, type, detail)] : []),
      ...(status === 'True' ? [] : [notSupported(`${field}.status`, status, ['True'])]),
    ];
  };
}

function stateOf({ status }: KubeObject): string {
  const conditions: readonly ConditionFields[] = status?.conditions ?? [];
  return conditions.findLast(({ type = '' }) => ends.includes(type))?.type ?? 'Pending';
}

function annotationsOf({ spec }: KubeObject): string {
  const annotations = Object.entries((spec?.unverifiedUserAnnotations ?? {}) as Record<string, string>);
  return annotations.length === 0
    ? '<none>'
    : annotations
        .map((each) => each.join('='))
        .sort()
        .join(',');
}
