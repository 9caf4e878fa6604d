import { type FieldError, invalid, required, tooLong } from '@slipway/api-machinery/errors/field-error';
import { labelProblems, subdomainProblems } from '@slipway/api-machinery/errors/names';

const maxDomain = 253;
/** A domain, a slash, and a path that has room for a namespace and a name. */
const maxSignerName = maxDomain + 1 + 63 + 1 + 253;

/** Validates the name of a signer, such as `example.com/signer`. */
export function validateSignerName(name: string, field: string): FieldError[] {
  if (name === '') return [required(field)];
  const [domain = '', path, ...more] = name.split('/');
  if (path === undefined || more.length > 0) {
    return [invalid(field, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'")];
  }
  const labels = domain.split('.');
  return [
    ...(Buffer.byteLength(domain) > maxDomain ? [tooLong(field, maxDomain)] : []),
    ...firstProblems(field, domain, labels, labelProblems),
    ...(labels.length < 2
      ? [invalid(field, domain, 'should be a domain with at least two segments separated by dots')]
      : []),
    ...firstProblems(field, path, path.split('.'), subdomainProblems),
    ...(Buffer.byteLength(name) > maxSignerName ? [tooLong(field, maxSignerName)] : []),
  ];
}

/** The errors of the first label that has any. */
function firstProblems(field: string, value: string, labels: readonly string[], check: (label: string) => string[]) {
  const wrong = labels.find((label) => check(label).length > 0);
  if (wrong === undefined) return [];
  return check(wrong).map((why) => invalid(field, value, `validating label ${JSON.stringify(wrong)}: ${why}`));
}
