import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readApiServerFlags } from './api-server-flags.js';

const folder = mkdtempSync(join(tmpdir(), 'slipway-flags-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('readApiServerFlags() reads the flags of envtest, and the files that they name', () => {
  const files = ['apiserver.crt', 'apiserver.key', 'client-cert-auth-ca.crt', 'sa-signer.crt', 'sa-signer.key'];
  for (const file of files) writeFileSync(join(folder, file), file);
  const request = readApiServerFlags([
    '--allow-privileged=true',
    '--authorization-mode=RBAC',
    '--bind-address=127.0.0.1',
    `--cert-dir=${folder}`,
    `--client-ca-file=${join(folder, 'client-cert-auth-ca.crt')}`,
    '--disable-admission-plugins=ServiceAccount',
    '--etcd-servers=http://127.0.0.1:40001',
    '--secure-port=40002',
    '--service-account-issuer=https://127.0.0.1:40002/',
    `--service-account-key-file=${join(folder, 'sa-signer.crt')}`,
    `--service-account-signing-key-file=${join(folder, 'sa-signer.key')}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    '--v=4',
  ]);
  const { runs, ...rest } = request;
  expect(rest).toEqual({
    bind: '127.0.0.1',
    port: 40_002,
    serving: { certificate: 'apiserver.crt', key: 'apiserver.key' },
    clientAuthority: 'client-cert-auth-ca.crt',
    serviceAccountKey: 'sa-signer.key',
    serviceAccountIssuer: 'https://127.0.0.1:40002/',
    version: undefined,
    featureGates: {},
    authorizationModes: ['RBAC'],
    services: '10.0.0.0/24',
    ignored: ['v'],
  });
  expect(['ServiceAccount', 'NodeRestriction', 'LimitRanger'].map(runs)).toEqual([false, false, true]);
});

test('readApiServerFlags() has the defaults of Kubernetes', () => {
  const { bind, port, authorizationModes, services, serving } = readApiServerFlags([`--cert-dir=${folder}/none`]);
  const defaults = { bind: '0.0.0.0', port: 6443, authorizationModes: ['AlwaysAllow'], services: '10.0.0.0/24' };
  expect({ bind, port, authorizationModes, services }).toEqual(defaults);
  expect(serving).toBeUndefined();
});

test('readApiServerFlags() reads gates, the emulated version and plugins that are asked for', () => {
  const { featureGates, version, runs } = readApiServerFlags([
    '--feature-gates=A=true,kube:B=false',
    '--emulated-version=kube=1.36',
    '--enable-admission-plugins=NodeRestriction',
  ]);
  expect([featureGates, version, runs('NodeRestriction')]).toEqual([{ A: true, B: false }, '1.36', true]);
});

// flag | the one line that says what is wrong
const refusals: [string, string][] = [
  ['--insecure-port=0', 'unknown flag: --insecure-port'],
  ['--secure-port=x', 'invalid --secure-port "x": must be 0-65535'],
  ['--feature-gates=A', 'invalid --feature-gates "A": must be GATE=true or GATE=false'],
  ['--authorization-mode=ABAC', 'invalid --authorization-mode "ABAC": must be Node, RBAC, AlwaysAllow'],
  ['--client-ca-file=/nowhere', 'cannot read --client-ca-file /nowhere: ENOENT: no such file or directory'],
];
test.each(refusals)('readApiServerFlags() rejects %s', (flag, message) => {
  expect(() => readApiServerFlags([flag])).toThrow(message);
});
