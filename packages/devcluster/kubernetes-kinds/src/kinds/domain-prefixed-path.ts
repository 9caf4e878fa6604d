import { invalidBecause } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, invalid, required } from '@slipway/api-machinery/errors/field-error';
import { subdomainProblems } from '@slipway/api-machinery/errors/names';

const format = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const pattern = new RegExp(`^${format}$`);

/** Validates a name below a domain, such as `example.dev/queue`. */
export function validateDomainPrefixedPath(name: string, field: string): FieldError[] {
  if (name === '') return [required(field)];
  const [, host = '', path = ''] = /^([^/]*)\/(.*)$/s.exec(name) ?? [];
  if (host === '' || path === '') {
    return [invalid(field, name, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  return [
    ...invalidBecause(field, host, subdomainProblems(host)),
    ...(pattern.test(path) ? [] : [invalid(field, path, `Invalid path (regex used for validation is '${format}')`)]),
  ];
}
