import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** All that is loaded before a command does anything: packages, and our own files. */
function loadedBy(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const statements = readFileSync(file, 'utf8').matchAll(
    /^(?:import|export)\s(?!type\s)[^'";]*?(?:from\s*)?'([^']+)';/gm,
  );
  for (const [, name = ''] of statements) {
    if (name.startsWith('.')) loadedBy(join(dirname(file), name.replace(/\.js$/, '.ts')), seen);
    else seen.add(name);
  }
  return seen;
}

test('commands about proposals start without the client of a cluster', () => {
  for (const entry of ['../../command-line.ts', './kep.ts']) {
    const loaded = loadedBy(fileURLToPath(new URL(entry, import.meta.url)));
    expect(loaded.size).toBeGreaterThan(5);
    expect([...loaded]).not.toContain('@slipway/kube');
    // Reading Markdown for pages takes a third of the code of the package.
    expect([...loaded]).not.toContain('@slipway/kep/site');
  }
});
