import { type FieldError, forbidden, invalid, required } from '@slipway/api-machinery/errors/field-error';
import type { ProjectionFields, VolumeFields } from '@slipway/kube-objects/kinds/pod-spec';
import { validateLocalFile } from './path-rules.js';
import { certificatePaths, validatePodCertificate, validateTrustBundle } from './projected-certificates.js';
import { validateDownwardFile, validateKeyFile, validateMode } from './volume-files.js';

const shortestTokenSeconds = 600;
const longestTokenSeconds = 2 ** 32;

/** Validates a volume whose files come from several sources. */
export function validateProjected(
  { defaultMode, sources }: NonNullable<VolumeFields['projected']>,
  field: string,
): FieldError[] {
  const errors = validateMode(defaultMode, `${field}.defaultMode`);
  const taken = new Set<string>();
  const claim = (path: string, value: string) => {
    if (path === '') return;
    if (taken.has(path)) errors.push(invalid(field, value, 'conflicting duplicate paths'));
    taken.add(path);
  };
  for (const [index, source] of (sources ?? []).entries()) {
    const at = `${field}.sources[${index}]`;
    for (const kind of ['secret', 'configMap'] as const) {
      const given = source[kind];
      if (!given) continue;
      const { name = '', items } = given;
      if (name === '') errors.push(required(`${at}.${kind}.name`));
      for (const [place, item] of (items ?? []).entries()) {
        errors.push(...validateKeyFile(item, `${at}.${kind}.items[${place}]`));
        claim(item.path ?? '', name);
      }
    }
    for (const file of source.downwardAPI?.items ?? []) {
      errors.push(...validateDownwardFile(file, `${at}.downwardAPI`));
      claim(file.path ?? '', file.path ?? '');
    }
    if (source.serviceAccountToken) errors.push(...validateToken(source.serviceAccountToken, at, field));
    const { clusterTrustBundle: bundle, podCertificate: certificate } = source;
    if (bundle) {
      errors.push(...validateTrustBundle(bundle, `${at}.clusterTrustBundle`));
      claim(bundle.path ?? '', bundle.path ?? '');
    }
    if (certificate) {
      errors.push(...validatePodCertificate(certificate, `${at}.podCertificate`));
      for (const path of certificatePaths) claim(certificate[path] ?? '', certificate[path] ?? '');
    }
    if (kinds.filter((kind) => source[kind]).length > 1) {
      errors.push(forbidden(at, 'may not specify more than 1 volume type per source'));
    }
  }
  return errors;
}

const kinds = [
  'secret',
  'configMap',
  'downwardAPI',
  'serviceAccountToken',
  'clusterTrustBundle',
  'podCertificate',
] as const;

/** The path of a token is reported at the volume, its duration at the source. */
function validateToken(
  { path = '', expirationSeconds = 0 }: NonNullable<ProjectionFields['serviceAccountToken']>,
  source: string,
  volume: string,
): FieldError[] {
  const errors: FieldError[] = [];
  const refuse = (detail: string) =>
    errors.push(invalid(`${source}.serviceAccountToken.expirationSeconds`, expirationSeconds, detail));
  if (expirationSeconds < shortestTokenSeconds) refuse('may not specify a duration less than 10 minutes');
  if (expirationSeconds > longestTokenSeconds) refuse('may not specify a duration larger than 2^32 seconds');
  if (path === '') return [...errors, required(`${volume}.path`)];
  return [...errors, ...validateLocalFile(path, `${volume}.path`)];
}
