import fc from 'fast-check';
import { expect, test } from 'vitest';
import { validateDomainPrefixedPath } from './domain-prefixed-path.js';

test.each([
  ['', ['Required value']],
  ['queue', ['must be a domain-prefixed path (such as "acme.io/foo")']],
  ['/queue', ['must be a domain-prefixed path (such as "acme.io/foo")']],
  ['example.dev/', ['must be a domain-prefixed path (such as "acme.io/foo")']],
  ['A.dev/a b', ['a lowercase RFC 1123 subdomain', 'Invalid path']],
])('%j', (name, problems) => {
  const found = validateDomainPrefixedPath(name, 'spec.managedBy').map(({ detail }) => detail || 'Required value');
  expect(found).toEqual(problems.map((problem) => expect.stringContaining(problem)));
});

test('any path below any domain is valid', () => {
  const part = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,5}[a-z0-9])?$/);
  const path = fc.stringMatching(/^[A-Za-z0-9/\-._~%!$&'()*+,;=:]{1,12}$/);
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 3 }), path, (domain, name) => {
      expect(validateDomainPrefixedPath(`${domain.join('.')}/${name}`, 'f')).toEqual([]);
    }),
  );
});
