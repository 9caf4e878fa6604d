import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';

test('the example of the README runs as it stands', async () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  const source = (path: string) => JSON.stringify(fileURLToPath(new URL(path, import.meta.url)));
  // Beside this file, so that the SDK is found.
  const folder = mkdtempSync(fileURLToPath(new URL('./readme-', import.meta.url)));
  const said = vi.spyOn(console, 'log').mockImplementation(() => {});
  try {
    const path = join(folder, 'example.ts');
    writeFileSync(path, example.replace("'@slipway/openfeature-provider'", source('./index.ts')));
    await import(/* @vite-ignore */ path);
    expect(said).toHaveBeenCalledExactlyOnceWith('fast');
  } finally {
    said.mockRestore();
    rmSync(folder, { recursive: true });
  }
});
