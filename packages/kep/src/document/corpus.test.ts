import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import MarkdownIt from 'markdown-it';
import { describe, expect, test } from 'vitest';
import { parseDocument } from './document.js';
import { isTocCurrent, tableOfContents, tocText } from './toc.js';

const corpus = fileURLToPath(new URL('../../../../../shared/corpus/keps/', import.meta.url));
const files = existsSync(corpus)
  ? readdirSync(corpus, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.md'))
      .sort()
  : [];
const read = (file: string) => readFileSync(`${corpus}${file}`, 'utf8');

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

describe.runIf(files.length > 0)('on the corpus', () => {
  test('parseDocument() finds the headings that markdown-it finds', () => {
    const different = files.flatMap((file) => {
      const text = read(file);
      const ours = parseDocument(text).blocks.headings.map(({ level, line }) => `h${level} ${line + 1}`);
      const theirs = oracle(text);
      return ours.join() === theirs.join()
        ? []
        : [`${file}: +${ours.filter((x) => !theirs.includes(x))} -${theirs.filter((x) => !ours.includes(x))}`];
    });
    expect(different).toEqual([]);
  });

  test('tableOfContents() is what the generator of kubernetes/enhancements wrote', () => {
    const different = files.flatMap((file) => {
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
});
