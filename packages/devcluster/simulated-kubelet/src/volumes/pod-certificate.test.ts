import type { PodCertificateRequest } from '@slipway/kube-objects/kinds/api/certificates';
import { pemBlock } from '@slipway/kube-objects/rules/pem-blocks';
import { expect, test } from 'vitest';
import {
  answered,
  certificateFiles,
  type IssuedCertificate,
  lateness,
  type PodCertificate,
  renewed,
  requested,
} from './pod-certificate.js';

const minuteMs = 60_000;
const held: IssuedCertificate = { key: 'OLD', chain: 'C', beginRefreshAtMs: 60 * minuteMs, notAfterMs: 90 * minuteMs };
const pending = requested({ kind: 'wanted', held }, { name: 'req-1', key: 'NEW' }, 0, minuteMs);
if (pending.kind !== 'requested') throw new Error(pending.kind);

function aRequest(status: NonNullable<PodCertificateRequest['status']>): PodCertificateRequest {
  return {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'PodCertificateRequest',
    metadata: {},
    spec: {} as never,
    status,
  };
}
const lastTransitionTime = '1970-01-01T00:00:00Z';
const condition = (type: string) =>
  ({ type, status: 'True', reason: 'Why', message: 'so', lastTransitionTime }) as const;
const issued = {
  conditions: [condition('Issued')],
  certificateChain: `text\n${pemBlock('CERTIFICATE', Buffer.from('1'))}text\n${pemBlock('CERTIFICATE', Buffer.from('2'))}`,
  beginRefreshAt: '1970-01-01T01:00:00Z',
  notAfter: '1970-01-01T02:00:00Z',
};
const isNew = {
  key: 'NEW',
  chain: [1, 2].map((each) => pemBlock('CERTIFICATE', Buffer.from(String(each)))).join(''),
  beginRefreshAtMs: 62 * minuteMs,
  notAfterMs: 120 * minuteMs,
};

// what became of the request | after minutes | what becomes of the certificate
test.each<[PodCertificateRequest | undefined, number, PodCertificate]>([
  [aRequest({}), 1, pending],
  [undefined, 11, pending],
  [undefined, 12, { kind: 'wanted', held }],
  [
    aRequest({ conditions: [condition('Denied')] }),
    1,
    { kind: 'refused', how: 'Denied', reason: 'Why', message: 'so' },
  ],
  [
    aRequest({ conditions: [condition('Failed')] }),
    1,
    { kind: 'refused', how: 'Failed', reason: 'Why', message: 'so' },
  ],
  [aRequest(issued), 1, { kind: 'issued', held: isNew }],
])('answered(): case %#', (found, minutes, expected) => {
  expect(answered(pending, found, minutes * minuteMs, 2 * minuteMs)).toEqual(expected);
});

test('renewed() wants a certificate again from its time on, and only one that was issued', () => {
  expect(renewed({ kind: 'issued', held }, 60 * minuteMs - 1)).toEqual({ kind: 'issued', held });
  expect(renewed({ kind: 'issued', held }, 60 * minuteMs)).toEqual({ kind: 'wanted', held });
  expect(renewed(pending, 60 * minuteMs)).toBe(pending);
});

// minutes | what was told before | reasons of events
test.each<[number, IssuedCertificate['told'], readonly string[]]>([
  [70, undefined, []],
  [71, undefined, ['CertificateOverdueForRefresh']],
  [71, ['CertificateOverdueForRefresh'], []],
  [91, [], ['CertificateOverdueForRefresh', 'CertificateExpired']],
  [91, ['CertificateOverdueForRefresh'], ['CertificateExpired']],
])('lateness() after %i minutes', (minutes, told = [], expected) => {
  expect(lateness({ ...held, told }, minutes * minuteMs)).toEqual(expected);
});

const files = (certificate: PodCertificate, source: object) => {
  const made = certificateFiles(certificate, source);
  return typeof made === 'string' ? made : Object.fromEntries([...made].map(([path, content]) => [path, `${content}`]));
};

// what is there of a certificate | its files
test.each<[PodCertificate, unknown]>([
  [{ kind: 'wanted' }, 'credential bundle is not issued yet'],
  [{ kind: 'requested', request: pending.request }, 'credential bundle is not issued yet'],
  [pending, { b: 'OLDC', k: 'OLD' }],
  [
    { kind: 'issued', held },
    { b: 'OLDC', k: 'OLD' },
  ],
  [
    { kind: 'refused', how: 'Denied', reason: 'Why', message: 'a "b"' },
    'PodCertificateRequest was permanently denied: reason="Why" message="a \\"b\\""',
  ],
  [
    { kind: 'refused', how: 'Failed', reason: 'Why', message: '' },
    'PodCertificateRequest was permanently failed: reason="Why" message=""',
  ],
])('certificateFiles(): case %#', (certificate, expected) => {
  expect(files(certificate, { credentialBundlePath: 'b', keyPath: 'k' })).toEqual(expected);
});

test('certificateFiles() writes the chain alone where it is asked for', () => {
  expect(files({ kind: 'issued', held }, { certificateChainPath: 'c' })).toEqual({ c: 'C' });
});
