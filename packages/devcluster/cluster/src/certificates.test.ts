import { X509Certificate } from 'node:crypto';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aFolder } from '@slipway/kube-objects/testing/a-folder';
import { expect, test } from 'vitest';
import { certificatesIn, servingNames } from './certificates.js';

const nowMs = Date.UTC(2026, 10, 20);
const dayMs = 24 * 3_600_000;
const names = ['localhost', '127.0.0.1', '::1'];

test('certificatesIn() issues an authority for 10 years; for serving, an administrator and passing on requests for 1', async () => {
  const { ca, serving, admin, proxy } = await certificatesIn(undefined, { names, nowMs });
  const [authority, server, client, passing] = [ca, serving, admin, proxy].map(
    ({ certificate }) => new X509Certificate(certificate),
  );
  const years = (held?: X509Certificate) => Math.round((Date.parse(held?.validTo ?? '') - nowMs) / (365 * dayMs));
  expect([authority, server, client, passing].map(years)).toEqual([10, 1, 1, 1]);
  expect(passing?.verify(authority?.publicKey ?? passing.publicKey)).toBe(true);
  expect(passing?.subject).toBe('CN=front-proxy-client');
  expect(server?.verify(authority?.publicKey ?? server.publicKey)).toBe(true);
  expect(client?.verify(authority?.publicKey ?? client.publicKey)).toBe(true);
  expect([authority?.ca, server?.ca]).toEqual([true, false]);
  expect([server?.checkHost('localhost'), server?.checkIP('127.0.0.1'), server?.checkIP('::1')]).toEqual(names);
  expect(client?.subject.split('\n').sort()).toEqual(['CN=slipway-admin', 'O=system:masters']);
  expect(server?.publicKey.asymmetricKeyDetails?.namedCurve).toBe('prime256v1');
});

test('certificatesIn() keeps them in a folder that only its owner can read', async () => {
  const folder = join(aFolder(), 'pki');
  const first = await certificatesIn(folder, { names, nowMs });
  const again = await certificatesIn(folder, { names, nowMs: nowMs + 300 * dayMs });
  expect(again).toEqual(first);
  expect(readdirSync(folder).map((file) => statSync(join(folder, file)).mode & 0o777)).toEqual(Array(8).fill(0o600));
});

// days later | names | what is issued again
const renewals: [number, readonly string[], string[]][] = [
  [334, names, []],
  [336, names, ['serving', 'admin', 'proxy']],
  [1, [...names, '192.0.2.1'], ['serving']],
  [1, names.slice(1), []],
  [3640, names, ['ca', 'serving', 'admin', 'proxy']],
];
test.each(renewals)('certificatesIn() after %i days for %j issues again: %j', async (days, wanted, expected) => {
  const folder = join(aFolder(), 'pki');
  const first = await certificatesIn(folder, { names, nowMs });
  const later = await certificatesIn(folder, { names: wanted, nowMs: nowMs + days * dayMs });
  const parts = ['ca', 'serving', 'admin', 'proxy'] as const;
  expect(parts.filter((part) => later[part].certificate !== first[part].certificate)).toEqual(expected);
});

test('certificatesIn() issues again what does not belong together, and refuses what it cannot read', async () => {
  const folder = join(aFolder(), 'pki');
  const first = await certificatesIn(folder, { names, nowMs });
  writeFileSync(join(folder, 'serving.key'), first.admin.key);
  const again = await certificatesIn(folder, { names, nowMs });
  expect([again.ca, again.admin]).toEqual([first.ca, first.admin]);
  expect(again.serving.certificate).not.toBe(first.serving.certificate);
  writeFileSync(join(folder, 'ca.crt'), 'rubbish');
  await expect(certificatesIn(folder, { names, nowMs })).rejects.toMatchObject({ reason: 'DataDamaged', exitCode: 2 });
});

test('servingNames() holds the names of the service in the cluster, and every address when bound to all', () => {
  expect(servingNames('127.0.0.1')).toContain('kubernetes.default.svc');
  expect(servingNames('192.0.2.7')).toContain('192.0.2.7');
  expect(servingNames('0.0.0.0')).not.toContain('0.0.0.0');
  expect(servingNames('0.0.0.0')).toEqual(expect.arrayContaining([...servingNames('127.0.0.1')]));
});
