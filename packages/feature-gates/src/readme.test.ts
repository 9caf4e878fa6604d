import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';

test('the example of the README runs as it stands, outside of a cluster too', async () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  const index = fileURLToPath(new URL('./index.ts', import.meta.url));
  const folder = mkdtempSync(join(tmpdir(), 'slipway-readme-'));
  const said = vi.spyOn(console, 'log').mockImplementation(() => {});
  try {
    const path = join(folder, 'example.ts');
    writeFileSync(path, example.replace("'@slipway/feature-gates'", JSON.stringify(index)));
    await import(/* @vite-ignore */ path);
    expect(said).not.toHaveBeenCalled();
    writeFileSync(join(folder, 'on.ts'), readFileSync(path, 'utf8').replace('FastPath=false', 'FastPath=true'));
    await import(/* @vite-ignore */ join(folder, 'on.ts'));
    expect(said).toHaveBeenCalledExactlyOnceWith('fast');
  } finally {
    said.mockRestore();
    rmSync(folder, { recursive: true });
  }
});
