import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startCluster } from '@slipway/devcluster';
import { expect, test, vi } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

// package | what the example of its README prints
test.each([
  ['api-machinery', '{"spec":{"containers":[{"name":"web","image":"web:2"},{"name":"log","image":"log:1"}]}}'],
  ['cel', true],
  [
    'scheduler',
    '[{"pod":"a","nodeName":"n1"},{"pod":"b","nodeName":"n2"},{"pod":"c","message":"0/2 nodes are available: 2 Insufficient cpu."}]',
  ],
])('the example of %s runs as it stands', async (name, printed) => {
  expect(await said(name)).toEqual([[printed]]);
});

test('the example of simulated-kubelet runs as it stands, beside a cluster without nodes', async () => {
  const cluster = await startCluster({ nodes: 0 });
  const folder = mkdtempSync(join(tmpdir(), 'slipway-readme-'));
  const kubeconfig = join(folder, 'config');
  writeFileSync(kubeconfig, cluster.kubeconfig);
  vi.stubEnv('KUBECONFIG', kubeconfig);
  try {
    expect(await said('simulated-kubelet')).toEqual([[['n1', 'n2']]]);
    const nodes = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false };
    const { items } = await cluster.kube().resource(nodes).list();
    expect(items).toMatchObject([
      { metadata: { name: 'n1' }, status: { capacity: { cpu: '64' } } },
      { metadata: { name: 'n2' }, status: { capacity: { cpu: '64' } } },
    ]);
  } finally {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
    await cluster.stop();
  }
});

/** What the example in the README of a part of devcluster says on the console. */
async function said(name: string): Promise<readonly unknown[][]> {
  const readme = readFileSync(`${root}packages/devcluster/${name}/README.md`, 'utf8');
  const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  const made = mkdtempSync(join(tmpdir(), 'slipway-readme-'));
  const said = vi.spyOn(console, 'log').mockImplementation(() => {});
  try {
    const path = join(made, 'example.ts');
    writeFileSync(
      path,
      example.replace(/'@slipway\/([^'/]+)(?:\/([^']+))?'/g, (_, of, key) => source(of, key)),
    );
    await import(/* @vite-ignore */ path);
    return said.mock.calls;
  } finally {
    said.mockRestore();
    rmSync(made, { recursive: true });
  }
}

function source(name: string, key: string | undefined): string {
  const folder = name === 'kube' ? 'packages/kube' : `packages/devcluster/${name}`;
  return JSON.stringify(`${root}${folder}/src/${key ?? 'index'}.ts`);
}
