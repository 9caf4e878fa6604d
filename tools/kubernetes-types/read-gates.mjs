import { readFileSync } from 'node:fs';

/**
 * Reads from lists of feature gates, by name, since which minor versions those asked for are on or off by default: `[["1.35", true]]`.
 * Fields whose gate is no longer listed are always there.
 */
export function readGates(files, names) {
  const text = files.map((file) => readFileSync(file, 'utf8')).join('\n');
  const gates = {};
  for (const name of [...new Set(names)].sort()) {
    // A gate is a constant or, in another package, a member of that package.
    const block = new RegExp(`^\\t(?:\\w+\\.)?${name}: \\{\\n((?:\\t\\t.*\\n)+)\\t\\},`, 'm').exec(text)?.[1];
    if (block === undefined) continue;
    const stages = block.matchAll(/MustParse\("(\d+\.\d+)"\), Default: (true|false)/g);
    gates[name] = [...stages].map(([, version, value]) => [version, value === 'true']);
  }
  return gates;
}
