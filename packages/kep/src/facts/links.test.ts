import { expect, test } from 'vitest';
import { parseDocument } from '../document/document.js';
import { linksOf } from './links.js';

test.each([
  ['[a](file.md)', ['file.md']],
  ['[a](https://example.com) and [b](#c)', ['https://example.com', '#c']],
  ['[a](https://example.com)', []],
  ['[a](<./b.md>)', ['./b.md']],
  ['[a][n]\n\n[n]: ./file.md', ['./file.md']],
  ['[a][n]\n\n[n]: <https://example.com>', []],
  ['[n]: ./file.md', []],
  ['<!-- toc -->\n- [a](#b)\n- [c](d.md)\n<!-- /toc -->\n[e](#f)', ['d.md', '#f']],
  ['`[a](b)` <!-- [c](d) --> [e](f)', ['f']],
])('linksOf(%j) finds %j', (text, targets) => {
  expect(linksOf(parseDocument(text)).map(({ target }) => target)).toEqual(targets);
});
