import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CustomResourceDefinition, type KubeObject, type KubeRequest, type Transport } from '@slipway/kube';
import { type InMemoryApi, inMemoryApi } from '@slipway/kube/testing';
import { expect, test } from 'vitest';

test('the example of the README runs as it stands, against an API in memory', async () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  const api = inMemoryApi();
  api.intercept((request) => establish(api, request));
  const given = globalThis as { readmeApi?: Transport };
  given.readmeApi = withDiscovery(api);
  const folder = mkdtempSync(join(tmpdir(), 'slipway-readme-'));
  const source = (path: string) => JSON.stringify(fileURLToPath(new URL(path, import.meta.url)));
  try {
    const path = join(folder, 'example.ts');
    const text = example
      .replace("'@slipway/features'", source('./index.ts'))
      .replace("'@slipway/kube'", source('../../kube/src/index.ts'))
      .replace('await Kube.connect()', 'new Kube(globalThis.readmeApi)');
    writeFileSync(path, `${text}\nexport { manager };\n`);
    const { manager } = await import(/* @vite-ignore */ path);
    const announced = () => api.stored({ group: 'features.slipway.dev', plural: 'features' });
    await expect
      .poll(() => announced().map(({ metadata }) => metadata.name), { timeout: 20_000 })
      .toEqual(['fastpath']);
    await manager.stop();
  } finally {
    delete given.readmeApi;
    rmSync(folder, { recursive: true });
  }
});

/** A real server says so some time after a CRD was created; this one when it is asked. */
function establish(api: InMemoryApi, { method, path }: KubeRequest): void {
  const crd = api.stored(CustomResourceDefinition).find(({ metadata }) => path.endsWith(`/${metadata.name}`));
  if (method !== 'GET' || !crd || crd.status) return;
  const established: KubeObject = { ...crd, status: { conditions: [{ type: 'Established', status: 'True' }] } };
  api.seed(CustomResourceDefinition, established);
}

/** The API in memory knows no discovery. */
function withDiscovery(api: InMemoryApi): Transport {
  return {
    request(request) {
      if (request.path !== '/api' && request.path !== '/apis') return api.request(request);
      return Promise.resolve({ status: 200, headers: {}, body: { kind: 'APIGroupDiscoveryList', items: [] } });
    },
    stream: (request, signal) => api.stream(request, signal),
  };
}
