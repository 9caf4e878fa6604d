import 'reflect-metadata';
import { X509CertificateGenerator } from '@peculiar/x509';
import type { CertificateSigningRequest } from '@slipway/kube-objects/kinds/api/certificates';
import { expect, test } from 'vitest';
import { requestEnd } from './request-end.js';

const made = '2026-03-01T00:00:00Z';
const answered = '2026-03-01T05:00:00Z';

test('a request that no answer stays for a day', () => {
  expect(endOf({})).toBe('2026-03-02T00:00:00.000Z');
});

test('one that was denied or failed stays for an hour more', () => {
  expect(endOf({ conditions: [condition('Denied')] })).toBe('2026-03-01T06:00:00.000Z');
  expect(endOf({ conditions: [condition('Approved'), condition('Failed')] })).toBe('2026-03-01T06:00:00.000Z');
});

test('one that is approved waits to be signed, and stays for an hour then, or until its certificate expires', async () => {
  const conditions = [condition('Approved')];
  expect(endOf({ conditions })).toBeUndefined();
  expect(endOf({ conditions, certificate: await aCertificate('2026-04-01T00:00:00Z') })).toBe(
    '2026-03-01T06:00:00.000Z',
  );
  expect(endOf({ conditions, certificate: await aCertificate('2026-03-01T05:30:00Z') })).toBe(
    '2026-03-01T05:30:00.000Z',
  );
  expect(endOf({ conditions, certificate: 'bm9uZQ==' })).toBe('2026-03-01T06:00:00.000Z');
});

function endOf(status: NonNullable<CertificateSigningRequest['status']>): string | undefined {
  const metadata = { name: 'a', creationTimestamp: made };
  const end = requestEnd({ metadata, spec: { request: '', signerName: '' }, status } as CertificateSigningRequest);
  return end === undefined ? undefined : new Date(end).toISOString();
}

function condition(type: string) {
  return {
    type,
    status: 'True',
    reason: 'ByHand',
    message: '',
    lastTransitionTime: made,
    lastUpdateTime: answered,
  } as const;
}

/** As `status.certificate` has it. */
async function aCertificate(until: string): Promise<string> {
  const signingAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await crypto.subtle.generateKey(signingAlgorithm, true, ['sign', 'verify']);
  const [notBefore, notAfter] = [new Date(made), new Date(until)];
  const name = { name: 'CN=a', serialNumber: '01' };
  const certificate = await X509CertificateGenerator.createSelfSigned({
    ...name,
    notBefore,
    notAfter,
    signingAlgorithm,
    keys,
  });
  return Buffer.from(certificate.toString('pem')).toString('base64');
}
