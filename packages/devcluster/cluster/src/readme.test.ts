import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const examples = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, text = '']) => text);

// what each example prints
const printed = [['n1', 'n2'], undefined];

test.each([...printed.entries()])(
  'example %i of the README runs as it stands',
  { timeout: 30_000 },
  async (index, value) => {
    expect(examples).toHaveLength(printed.length);
    const example = examples[index] ?? '';
    const ours = fileURLToPath(new URL('./index.ts', import.meta.url));
    const kube = fileURLToPath(import.meta.resolve('@slipway/kube'));
    const folder = mkdtempSync(join(tmpdir(), 'slipway-readme-'));
    const said = vi.spyOn(console, 'log').mockImplementation(() => {});
    try {
      const path = join(folder, 'example.ts');
      const here = example.replace("'@slipway/devcluster'", JSON.stringify(ours));
      writeFileSync(path, here.replace("'@slipway/kube'", JSON.stringify(kube)));
      await import(/* @vite-ignore */ path);
      expect(said).toHaveBeenCalledExactlyOnceWith(value);
    } finally {
      said.mockRestore();
      rmSync(folder, { recursive: true });
    }
  },
);
