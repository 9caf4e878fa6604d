import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { fakeRuntime } from './testing/fake-runtime.js';

test('the example of the README runs as it stands', async () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'slipway-readme-'));
  const socket = join(folder, 'image.sock');
  const runtime = await fakeRuntime(socket);
  runtime.present.add('registry.example/web:1');
  const said = vi.spyOn(console, 'log').mockImplementation(() => {});
  try {
    const path = join(folder, 'example.ts');
    const index = JSON.stringify(fileURLToPath(new URL('./index.ts', import.meta.url)));
    const here = example.replace("'@slipway/image-pulls'", index).replace('/run/slipway/pulls/image.sock', socket);
    writeFileSync(path, `${here}\nservice.close();\n`);
    await import(/* @vite-ignore */ path);
    expect(said).toHaveBeenLastCalledWith({ kind: 'present', imageRef: 'sha256:registry.example/web:1' });
  } finally {
    said.mockRestore();
    await runtime.kill();
    rmSync(folder, { recursive: true });
  }
});
