import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';

test('the example of the README runs as it stands', async () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'slipway-readme-'));
  const said = vi.spyOn(console, 'log').mockImplementation(() => {});
  try {
    const path = join(folder, 'example.ts');
    const entry = (_: string, key: string) => JSON.stringify(fileURLToPath(new URL(`./${key}.ts`, import.meta.url)));
    writeFileSync(path, example.replace(/'@slipway\/api-machinery\/([^']+)'/g, entry));
    await import(/* @vite-ignore */ path);
    expect(said.mock.calls).toEqual([
      ['{"spec":{"containers":[{"name":"web","image":"web:2"},{"name":"log","image":"log:1"}]}}'],
    ]);
  } finally {
    said.mockRestore();
    rmSync(folder, { recursive: true });
  }
});
