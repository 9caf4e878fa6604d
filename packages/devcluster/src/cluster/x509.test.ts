import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { signCertificate } from './x509.js';

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const validity = { notBeforeMs: Date.UTC(2026, 10, 26, 7, 30, 15, 250), notAfterMs: Date.UTC(2036, 10, 26) };
const authority = signCertificate(
  { ...validity, subject: [['CN', 'an authority']], publicKey, isAuthority: true },
  { key: privateKey },
);

function signed(terms: Partial<Parameters<typeof signCertificate>[0]>): X509Certificate {
  const all = { ...validity, subject: [['CN', 'a leaf']] as const, publicKey, ...terms };
  return new X509Certificate(signCertificate(all, { certificate: authority, key: privateKey }));
}

test('an authority signs itself, and is found as the issuer of what it signs', () => {
  const root = new X509Certificate(authority);
  expect([root.ca, root.checkIssued(root), root.verify(publicKey)]).toEqual([true, true, true]);
  const leaf = signed({ purpose: 'serverAuth', names: ['localhost'] });
  expect([leaf.ca, leaf.checkIssued(root), leaf.verify(publicKey)]).toEqual([false, true, true]);
  expect(leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
  expect(leaf.serialNumber).not.toBe(root.serialNumber);
});

// from | to | as it is read: whole seconds, and years of two and four digits
const times: [number, number, string, string][] = [
  [validity.notBeforeMs, validity.notAfterMs, 'Nov 26 07:30:15 2026 GMT', 'Nov 26 00:00:00 2036 GMT'],
  [Date.UTC(2049, 11, 31, 23, 59, 59), Date.UTC(2050, 0, 1), 'Dec 31 23:59:59 2049 GMT', 'Jan  1 00:00:00 2050 GMT'],
];
test.each(times)('signCertificate() from %i to %i', (notBeforeMs, notAfterMs, validFrom, validTo) => {
  expect(signed({ notBeforeMs, notAfterMs })).toMatchObject({ validFrom, validTo });
});

test('every address and name that a certificate is for is found in it, and no other', () => {
  const name = fc.oneof(fc.ipV4(), fc.ipV6(), fc.domain());
  fc.assert(
    fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 4 }), (names) => {
      const held = signed({ purpose: 'serverAuth', names });
      for (const each of names) expect(isIP(each) ? held.checkIP(each) : held.checkHost(each)).toBeDefined();
      expect(held.checkIP('192.0.2.77')).toBe(names.includes('192.0.2.77') ? '192.0.2.77' : undefined);
    }),
  );
});

test('the parts of a subject are in the order in which they are given', () => {
  const { subject } = signed({
    subject: [
      ['O', 'system:masters'],
      ['CN', 'vera, née Ω'],
    ],
  });
  expect(subject).toBe('O=system:masters\nCN=vera\\, née Ω');
});
