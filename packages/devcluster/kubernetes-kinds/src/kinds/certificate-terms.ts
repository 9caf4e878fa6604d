import { invalidBecause } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, invalid, required } from '@slipway/api-machinery/errors/field-error';
import { qualifiedNameProblems } from '@slipway/api-machinery/errors/names';

const daySeconds = 24 * 60 * 60;

/** Minimum validity of a pod's certificate. */
export const minCertificateSeconds = 60 * 60;

/** Maximum validity of a pod's certificate in seconds: signers of Kubernetes itself issue none for more than a day. */
export function maxCertificateSeconds(signerName: string): number {
  return /^([^/]*\.)?kubernetes\.io(\/|$)/.test(signerName) ? daySeconds : 91 * daySeconds;
}

/** Validates what a pod adds for the signer of its certificate: keys with a domain, in any case. */
export function validateSignerAnnotations(annotations: Readonly<Record<string, string>>, field: string): FieldError[] {
  return Object.keys(annotations).flatMap((given) => {
    const key = given.toLowerCase();
    if (key === '') return [required(field)];
    const problems = qualifiedNameProblems(key);
    if (problems.length > 0) return invalidBecause(field, key, problems);
    return key.includes('/') ? [] : [invalid(field, key, 'must be a domain-prefixed key (such as "acme.io/foo")')];
  });
}
