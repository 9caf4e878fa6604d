import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

test('the example of the README runs as it stands, up to a cluster that is not there', async () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'slipway-readme-'));
  const source = (path: string) => JSON.stringify(fileURLToPath(new URL(path, import.meta.url)));
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(
    kubeconfig,
    `{current-context: a, contexts: [{name: a, context: {cluster: a}}], clusters: [{name: a, cluster: {server: "https://127.0.0.1:9"}}]}`,
  );
  try {
    const path = join(folder, 'example.ts');
    const text = example
      .replace("'@slipway/node-agent'", source('./index.ts'))
      .replace("'@slipway/kube'", source('../../kube/src/index.ts'))
      .replace('findAccess({})', `findAccess({ kubeconfig: ${JSON.stringify(kubeconfig)} })`);
    writeFileSync(path, `${text}\nexport { manager };\n`);
    const { manager } = await import(/* @vite-ignore */ path);
    expect(manager.ready()).toBe(false);
    await manager.stop();
  } finally {
    rmSync(folder, { recursive: true });
  }
});
