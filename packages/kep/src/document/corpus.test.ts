import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import MarkdownIt from 'markdown-it';
import { beforeEach, expect, test } from 'vitest';
import { needs } from '../../../../tools/real-parts.js';
import { parseDocument } from './document.js';
import { isTocCurrent, tableOfContents, tocText } from './toc.js';

const corpus = join(process.env.SLIPWAY_KEP_CORPUS ?? '', 'keps');
const proposals = () =>
  readdirSync(corpus, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .sort();
const read = (file: string) => readFileSync(join(corpus, file), 'utf8');

beforeEach((context) => needs(context, 'proposals of Kubernetes'));

/** Headings outside of block quotes as markdown-it sees them: `level line`. */
function oracle(text: string): string[] {
  const found: string[] = [];
  let quotes = 0;
  for (const token of new MarkdownIt({ html: true }).parse(text, {})) {
    if (token.type === 'blockquote_open') quotes++;
    else if (token.type === 'blockquote_close') quotes--;
    else if (token.type === 'heading_open' && quotes === 0) found.push(`${token.tag} ${(token.map?.[0] ?? 0) + 1}`);
  }
  return found;
}

test('parseDocument() finds the headings that markdown-it finds', () => {
  const different = proposals().flatMap((file) => {
    const text = read(file);
    const document = parseDocument(text);
    // We read a block of code that leaves its list as it was meant, and KEP408 tells that GitHub does not.
    if (document.fences.some(({ ending }) => ending === 'escaped')) return [];
    const ours = document.blocks.headings.map(({ level, line }) => `h${level} ${line + 1}`);
    const theirs = oracle(text);
    return ours.join() === theirs.join()
      ? []
      : [`${file}: +${ours.filter((x) => !theirs.includes(x))} -${theirs.filter((x) => !ours.includes(x))}`];
  });
  expect(different).toEqual([]);
}, 120_000);

test('tableOfContents() is what the generator of kubernetes/enhancements wrote', () => {
  const different = proposals().flatMap((file) => {
    const document = parseDocument(read(file));
    if (isTocCurrent(document)) return [];
    const wanted = tableOfContents(document)?.split('\n') ?? [];
    const there = tocText(document)?.trim().split('\n') ?? [];
    return [
      `${file}\n  ours ${wanted.filter((x) => !there.includes(x))}\n  there ${there.filter((x) => !wanted.includes(x))}`,
    ];
  });
  expect(different).toEqual([]);
});
