import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';

test('the example of the README runs as it stands', { timeout: 30_000 }, async () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  const ours = fileURLToPath(new URL('./index.ts', import.meta.url));
  const kube = fileURLToPath(import.meta.resolve('@slipway/kube'));
  const folder = mkdtempSync(join(tmpdir(), 'slipway-readme-'));
  const said = vi.spyOn(console, 'log').mockImplementation(() => {});
  try {
    const path = join(folder, 'example.ts');
    const here = example.replace("'@slipway/devcluster'", JSON.stringify(ours));
    writeFileSync(path, here.replace("'@slipway/kube'", JSON.stringify(kube)));
    await import(/* @vite-ignore */ path);
    expect(said).toHaveBeenCalledExactlyOnceWith(['n1', 'n2']);
  } finally {
    said.mockRestore();
    rmSync(folder, { recursive: true });
  }
});
