import type { KepDocument } from '../document/document.js';
import type { Span } from '../document/lines.js';
import { visibleText, withoutCode } from './visible-text.js';

/** `[text](target)` or `![text](target)`. */
export interface InlineLink extends Span {
  readonly target: string;
}

const form = /\]\(\s*<?([^\s()<>]{1,1000})>?(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)/g;
const maxLine = 20_000;

/** The links in the prose of a document. */
export function inlineLinks(document: KepDocument): readonly InlineLink[] {
  const found: InlineLink[] = [];
  for (const { start, text } of visibleText(document)) {
    if (text.length > maxLine || !text.includes('](')) continue;
    for (const match of withoutCode(text).matchAll(form)) {
      const from = start + match.index + 2;
      found.push({ target: match[1] ?? '', start: from, end: start + match.index + match[0].length - 1 });
    }
  }
  return found;
}

/** The path, relative to the root, that a link of a file in `directory` means; undefined for addresses and anchors. */
export function localPath(target: string, directory: string): string | undefined {
  const path = target.replace(/[#?].*$/, '');
  if (path === '' || /^[a-z][a-z0-9+.-]*:/i.test(path) || path.startsWith('//')) return undefined;
  const parts = path.startsWith('/') ? [] : directory.split('/').filter((part) => part !== '' && part !== '.');
  for (const part of decoded(path).split('/')) {
    if (part === '..') {
      if (parts.length === 0) return undefined;
      parts.pop();
    } else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/') || undefined;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
