import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { needs } from '../../tools/real-parts.js';
import { type BareCluster, bareCluster } from '../support/bare-cluster.js';
import { eventually } from '../support/slipway.js';

const image = 'registry.example.com/slipway:0.1.0';
const secret = 'S3cr3tS3cr3tS3cr3t';

interface Finding {
  readonly check: string;
  readonly result: string;
  readonly message: string;
}

let bare: BareCluster;
beforeAll(async () => {
  bare = await bareCluster({ nodes: 1 });
});
afterAll(() => bare[Symbol.asyncDispose]());

async function findings(
  ...flags: string[]
): Promise<{ readonly code: number | null; readonly of: Map<string, Finding> }> {
  const { code, stdout } = await bare.slipway('doctor', '-o', 'json', ...flags);
  return { code, of: new Map((JSON.parse(stdout) as Finding[]).map((finding) => [finding.check, finding])) };
}

test('on a cluster without Slipway it says what is not installed, and finds no problem', async () => {
  const { code, of } = await findings();
  expect(code).toBe(0);
  expect(of.get('kinds of features')).toMatchObject({ result: 'note', message: 'not installed' });
  expect([...of.values()].filter(({ result }) => result === 'problem')).toEqual([]);
});

test('it finds the process that is not there, says what to do, and writes a bundle without secrets', async (context) => {
  needs(context, 'kubectl');
  await bare.slipway('install', '--image', image);
  const server = 'Deployment slipway-system/slipway-feature-server';
  const says = (result: string) => async () => (await findings()).of.get(server)?.result === result;
  await eventually('the server runs', says('ok'));

  const hidden = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'slipway-system' } };
  await bare.kubectl(['apply', '-f', '-'], JSON.stringify({ ...hidden, stringData: { key: secret } }));
  await bare.kubectl(['-n', 'slipway-system', 'annotate', 'deployment/slipway-feature-server', `note=${secret}`]);
  await bare.kubectl(['-n', 'slipway-system', 'set', 'env', 'deployment/slipway-feature-server', `KEY=${secret}`]);
  await bare.kubectl(['taint', 'nodes', '--all', 'away=yes:NoExecute']);
  await eventually('the server is away', says('problem'));

  const bundle = join(bare.folder, 'support.yaml');
  const { code, stdout, stderr } = await bare.slipway('doctor', '--bundle', bundle);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^Deployment slipway-system\/slipway-feature-server +problem +0 of 2 available: /m);
  expect(stderr).toMatch(/^To fix: kubectl -n slipway-system describe deployment slipway-feature-server/m);
  expect(stderr).toMatch(/^\d+ objects and logs are in .*support\.yaml: read it before you send it\.$/m);
  const text = readFileSync(bundle, 'utf8');
  const kinds = new Set(Array.from(text.matchAll(/^kind: (\w+)$/gm), ([, kind]) => kind));
  expect([...kinds]).toEqual(
    expect.arrayContaining(['Findings', 'Deployment', 'DaemonSet', 'Pod', 'Node', 'Event', 'Log']),
  );
  expect(kinds).not.toContain('Secret');
  expect(text).toContain('(left out)');
  expect(text).not.toContain(secret);
});

test('what may not be read is unknown, and all else is looked at', async () => {
  const kubeconfig = bare.kubeconfigOf('server');
  const { of } = await findings('--kubeconfig', kubeconfig);
  expect(of.get('kubernetes')).toMatchObject({ result: 'ok' });
  const unknown = [...of.values()].filter(({ result }) => result === 'unknown');
  expect(unknown.length).toBeGreaterThan(0);
  for (const { message } of unknown) expect(message).toMatch(/forbidden/);
});

test('a bundle that cannot be written is said in one line', async () => {
  const { code, stderr } = await bare.slipway('doctor', '--bundle', join(bare.folder, 'none', 'b.yaml'));
  expect(code).toBe(2);
  expect(stderr).toMatch(/slipway: --bundle: .*\nTo fix: name a file in a folder/);
});
