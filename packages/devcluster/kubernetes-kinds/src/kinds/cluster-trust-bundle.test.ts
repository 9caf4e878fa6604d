import { expect, test } from 'vitest';
import { clusterTrustBundles } from './cluster-trust-bundle.js';
import { aCertificate } from './testing/certificate.js';
import { created, createErrors, row, updateErrors } from './testing/write.js';

const authority = await aCertificate({ isAuthority: true });
const leaf = await aCertificate({});
const bundle = (trustBundle: string, signerName?: string) => ({
  spec: { trustBundle, ...(signerName && { signerName }) },
});
const wrong = (why: string) => `spec.trustBundle: Invalid value: "<value omitted>": ${why}`;
const key = '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n';

// what it holds | what is wrong with that
const bundles: [string, string[]][] = [
  [`${authority}text between\n${await aCertificate({ isAuthority: true })}`, []],
  ['', [wrong('at least one trust anchor must be provided')]],
  [`${authority}${authority}`, [wrong('duplicate trust anchor (indices [0 1])')]],
  [`${key}${leaf}`, [wrong('entry 0 has bad block type: PRIVATE KEY'), wrong('entry 1 does not have the CA bit set')]],
  [authority.replace('\n', '\nA: b\n\n'), [wrong('entry 0 has PEM block headers')]],
  [authority.replace(/\n[^-]{20}/, '\n'), [wrong('entry 0 does not parse as X.509')]],
  ['a'.repeat(1024 * 1024 + 1), ['spec.trustBundle: Too long: may not be more than 1048576 bytes']],
];

test.each(bundles)('ClusterTrustBundle of certificates %#', (text, errors) => {
  expect(createErrors(clusterTrustBundles, bundle(text))).toEqual(errors);
});

test('a ClusterTrustBundle that stays is not read anew, and its signer cannot change', () => {
  expect(updateErrors(clusterTrustBundles, bundle('old'), bundle('old'))).toEqual([]);
  expect(updateErrors(clusterTrustBundles, bundle('old'), bundle('new'))).toHaveLength(1);
  const signed = { metadata: { name: 'a.dev:b:it' } };
  expect(
    updateErrors(
      clusterTrustBundles,
      { ...signed, ...bundle(authority, 'a.dev/b') },
      { ...signed, ...bundle(authority, 'a.dev/c') },
    ),
  ).toEqual([
    expect.stringContaining('ClusterTrustBundle for signerName a.dev/c must be named with prefix a.dev:c:'),
    'spec.signerName: Invalid value: "a.dev/c": field is immutable',
  ]);
});

test('a ClusterTrustBundle is named after its signer', () => {
  const problems = (name: string, signerName?: string) =>
    clusterTrustBundles.nameProblems?.(name, created(clusterTrustBundles, bundle(authority, signerName)));
  expect(problems('a.dev:b:c', 'a.dev/b')).toEqual([]);
  expect(problems('a.dev:b:C', 'a.dev/b')).toEqual([expect.stringContaining('RFC 1123 subdomain')]);
  expect(problems('c', 'a.dev/b')).toEqual([
    'ClusterTrustBundle for signerName a.dev/b must be named with prefix a.dev:b:',
  ]);
  expect(problems('a.dev:b:c')).toEqual(['ClusterTrustBundle without signer name must not have ":" in its name']);
  expect(row(clusterTrustBundles, created(clusterTrustBundles, bundle(authority)))).toEqual({ SIGNERNAME: '<none>' });
});
