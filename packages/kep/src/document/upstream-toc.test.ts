import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { needs } from '../../../../tools/real-parts.js';
import { testFolder } from '../testing/test-folder.js';
import { parseDocument } from './document.js';
import { tableOfContents } from './toc.js';

const checkout = process.env.SLIPWAY_KEP_CORPUS ?? '';
const program = fileURLToPath(new URL('../../testdata/upstream-toc/main.go', import.meta.url));

/** What mdtoc answers for texts behind the closing mark; null where it crashes. */
function upstreams(texts: readonly string[]): (string | null)[] {
  const folder = testFolder();
  const overlay = join(folder, 'overlay.json');
  writeFileSync(overlay, JSON.stringify({ Replace: { [join(checkout, 'cmd/slipway/main.go')]: program } }));
  const binary = join(folder, 'mdtoc');
  const modules = join(checkout, 'hack/tools/mdtoc/go.mod');
  const args = ['build', '-modfile', modules, '-overlay', overlay, '-o', binary, './cmd/slipway'];
  const built = spawnSync('go', args, { cwd: checkout, encoding: 'utf8' });
  expect(built.stderr.replace(/^go: downloading .*\n/gm, '')).toBe('');
  const answered = spawnSync(binary, {
    input: JSON.stringify(texts),
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
  return JSON.parse(answered.stdout);
}

/** Lines as authors write them, and as nobody should. */
const line = fc.constantFrom(
  ...[
    '## Bells',
    '### Bells and *rings*',
    '# A',
    ' ## Indented',
    '##\ttab',
    '#### `code` {#id} rest',
    '## A | b',
    '.# Special',
    '## #',
  ],
  ...[
    '',
    '',
    '',
    'text',
    'text goes on',
    '    code or text',
    '\ttab',
    'Term',
    ': definition',
    '[name]: http://a.b',
    '[name]:',
    '"title"',
  ],
  ...[
    '- item',
    '- ## in an item',
    '* other',
    '  - nested',
    '    - nested deeper',
    '1. one',
    '   2) two',
    '  ## in two',
    '    ## in four',
  ],
  ...['> quote', '> ## in a quote', '> - item', '>', '> ```', '```', '```go', '``` two words', '~~~', '````', '  ```'],
  ...[
    '<details>',
    '</details>',
    '<details><summary>More</summary>',
    '<div align="center">',
    '</div>',
    '<p>x</p>',
    '<br>',
    '<hr>',
    '<b>',
  ],
  ...[
    '<!-- one line -->',
    '<!--',
    '-->',
    '<!-- a --> b',
    '---',
    '-----',
    '===',
    '***',
    '- - -',
    '$$',
    '$$ x $$',
    '%%%',
  ],
  ...[
    'a | b',
    '--- | ---',
    '| a | b |',
    '|---|---|',
    '`a | b`',
    'a `b',
    '<reference x>',
    '</reference>',
    '-',
    '+ ',
    '1.',
  ],
);
const document = fc
  .array(line, { minLength: 1, maxLength: 14 })
  .map((lines) => `<!-- /toc -->\n\n${lines.join('\n')}\n`);

test('tableOfContents() is what mdtoc writes, whatever lines stand below each other', {
  timeout: 300_000,
}, (context) => {
  needs(context, 'validators of kubernetes/enhancements');
  const texts = fc.sample(document, { numRuns: 3_000, seed: Number(process.env.SLIPWAY_SEED) });
  const answers = upstreams(texts);
  const different = texts.flatMap((text, at) => {
    const wanted = answers[at];
    if (wanted === null) return [];
    const ours = tableOfContents(parseDocument(`<!-- toc -->\n${text}`));
    return ours?.trim() === wanted?.trim() ? [] : [{ text, wanted, ours }];
  });
  expect(different.sort((one, other) => one.text.length - other.text.length).slice(0, 10)).toEqual([]);
});
