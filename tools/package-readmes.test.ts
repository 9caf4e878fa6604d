import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

// package | what the example of its README prints
test.each([
  ['api-machinery', '{"spec":{"containers":[{"name":"web","image":"web:2"},{"name":"log","image":"log:1"}]}}'],
  ['cel', true],
])('the example of %s runs as it stands', async (name, printed) => {
  const folder = `${root}packages/devcluster/${name}`;
  const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(readFileSync(`${folder}/README.md`, 'utf8')) ?? [];
  const made = mkdtempSync(join(tmpdir(), 'slipway-readme-'));
  const said = vi.spyOn(console, 'log').mockImplementation(() => {});
  try {
    const path = join(made, 'example.ts');
    const sourceOf = (_: string, key: string) => JSON.stringify(`${folder}/src/${key}.ts`);
    writeFileSync(path, example.replace(new RegExp(`'@slipway/${name}/([^']+)'`, 'g'), sourceOf));
    await import(/* @vite-ignore */ path);
    expect(said).toHaveBeenCalledExactlyOnceWith(printed);
  } finally {
    said.mockRestore();
    rmSync(made, { recursive: true });
  }
});
