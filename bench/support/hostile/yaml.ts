import { body, fill, type HostileInput, many, most } from './input.js';

const yaml = body('application/yaml');

/** Aliases of aliases: what they stand for is nine times as long with each level. */
function growingAliases(): string {
  const level = (index: number) => `a${index}: &a${index} [${many(9, () => (index === 0 ? 'x' : `*a${index - 1}`))}]`;
  return many(9, level, '\n');
}

/** Texts that are YAML. */
export const hostileYaml: readonly HostileInput[] = [
  { what: 'YAML: aliases that grow', headers: yaml, body: growingAliases() },
  { what: 'YAML: 30,000 lists in each other', headers: yaml, body: '['.repeat(30_000) },
  { what: 'YAML: 30,000 dashes in each other', headers: yaml, body: '- '.repeat(30_000) },
  { what: 'YAML: 3 MiB of flow list', headers: yaml, body: `a: [${fill('1,', most - 100)}1]` },
  { what: 'YAML: 3 MiB of keys', headers: yaml, body: many(230_000, (index) => `k${index}: v`, '\n') },
  { what: 'YAML: 3 MiB of comments', headers: yaml, body: fill('#\n', most) },
  { what: 'YAML: 3 MiB of anchors', headers: yaml, body: many(150_000, (index) => `k${index}: &a${index} v`, '\n') },
  { what: 'YAML: 3 MiB in one block text', headers: yaml, body: `a: |\n${fill('  x\n', most - 100)}` },
  { what: 'YAML: 3 MiB of quotes', headers: yaml, body: `a: "${fill('\\x41', most - 100)}"` },
  { what: 'YAML: 3 MiB of merge keys', headers: yaml, body: `a: &a {b: 1}\n${many(170_000, () => '<<: *a', '\n')}` },
  { what: 'YAML: 3 MiB of one line that nothing ends', headers: yaml, body: `a: ${'b '.repeat(1_500_000)}` },
  { what: 'YAML: 3 MiB of documents', headers: yaml, body: fill('---\n', most) },
];
