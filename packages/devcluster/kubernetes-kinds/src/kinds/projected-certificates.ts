import { invalidBecause, oneOf } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, invalid, required } from '@slipway/api-machinery/errors/field-error';
import type { CertificateProjection, TrustBundleProjection } from '@slipway/kube-objects/kinds/pod-spec';
import { maxCertificateSeconds, minCertificateSeconds, validateSignerAnnotations } from './certificate-terms.js';
import { validateLocalFile } from './path-rules.js';
import { validateLabelSelector } from './selector-validation.js';
import { validateSignerName } from './signer-name.js';
import { bundleNameProblems, signerOfBundle } from './trust-bundle-name.js';

/** Validates the certificates of authorities that a volume brings. */
export function validateTrustBundle(bundle: TrustBundleProjection, field: string): FieldError[] {
  const { path = '' } = bundle;
  return [
    ...validateChoice(bundle, field),
    ...(path === '' ? [required(`${field}.path`)] : []),
    ...validateLocalFile(path, `${field}.path`),
  ];
}

/** Which bundles: one by its name, or those of a signer. */
function validateChoice(bundle: TrustBundleProjection, field: string): FieldError[] {
  const { name, signerName, labelSelector } = bundle;
  if (name !== undefined && signerName !== undefined) {
    return [invalid(field, asGoStruct(bundle), 'only one of name and signerName may be used')];
  }
  if (name !== undefined) {
    const problems = bundleNameProblems(name, signerOfBundle(name));
    const errors = problems.map((each) => `not a valid clustertrustbundlename: ${each}`);
    return [
      ...(name === '' ? [required(`${field}.name`, 'must be a valid object name')] : []),
      ...invalidBecause(`${field}.name`, name, errors),
      ...(labelSelector
        ? [invalid(`${field}.labelSelector`, labelSelector, 'labelSelector must be unset if name is specified')]
        : []),
    ];
  }
  if (signerName === undefined) return [required(field, 'either name or signerName must be specified')];
  return [
    ...(signerName === '' ? [required(`${field}.signerName`, 'must be a valid signer name')] : []),
    ...validateSignerName(signerName, `${field}.signerName`),
    ...(labelSelector ? validateLabelSelector(labelSelector, `${field}.labelSelector`) : []),
  ];
}

/** The projection as Kubernetes prints it in an error: its Go struct. */
function asGoStruct({ name, signerName, labelSelector, optional, path, user }: TrustBundleProjection) {
  return {
    Name: name ?? null,
    SignerName: signerName ?? null,
    LabelSelector: labelSelector ?? null,
    Optional: optional ?? null,
    Path: path ?? '',
    User: user ?? null,
  };
}

const keyTypes = ['RSA3072', 'RSA4096', 'ECDSAP256', 'ECDSAP384', 'ECDSAP521', 'ED25519'];

/** Validates the key and certificate that a volume brings. */
export function validatePodCertificate(certificate: CertificateProjection, field: string): FieldError[] {
  const { signerName = '', keyType = '', maxExpirationSeconds, userAnnotations } = certificate;
  const paths = certificatePaths.filter((path) => certificate[path]);
  return [
    ...validateSignerName(signerName, `${field}.signerName`),
    ...validateSignerAnnotations(userAnnotations ?? {}, `${field}.userAnnotations`),
    ...oneOf(`${field}.keyType`, keyType, keyTypes),
    ...validateSeconds(maxExpirationSeconds, signerName, `${field}.maxExpirationSeconds`),
    ...paths.flatMap((path) => validateLocalFile(certificate[path] ?? '', `${field}.${path}`)),
    ...(paths.length === 0
      ? [required(field, 'specify at least one of credentialBundlePath, keyPath, and certificateChainPath')]
      : []),
  ];
}

/** Names of the fields with paths of files, in the order in which they are validated. */
export const certificatePaths = ['credentialBundlePath', 'keyPath', 'certificateChainPath'] as const;

function validateSeconds(seconds: number | undefined, signerName: string, field: string): FieldError[] {
  if (seconds === undefined) return [];
  const maxSeconds = maxCertificateSeconds(signerName);
  const wrong = (limit: string) => invalid(field, seconds, `if provided, maxExpirationSeconds must be ${limit}`);
  return [
    ...(seconds < minCertificateSeconds ? [wrong(`>= ${minCertificateSeconds}`)] : []),
    ...(seconds > maxSeconds ? [wrong(`<= ${maxSeconds}`)] : []),
  ];
}
