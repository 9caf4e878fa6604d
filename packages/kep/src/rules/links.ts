import type { KepDocument } from '../document/document.js';
import type { Span } from '../document/lines.js';
import { visibleText, withoutCode } from './visible-text.js';

/** Where a link, or the definition of a reference that is used, leads; the span is that of the target. */
export interface Link extends Span {
  readonly target: string;
}

const inlineForm = /\]\(\s*<?([^\s()<>]{1,1000})>?(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)/g;
const definitionForm = /^( {0,3}\[(?!\^)([^\]]{1,300})\]:[ \t]*<?)([^\s<>]{1,1000})/;
const maxLine = 20_000;

/** The links in the prose of a document: `[text](target)`, `![text](target)`, and `[name]: target` where `[name]` is used. */
export function linksOf(document: KepDocument): readonly Link[] {
  const known = cache.get(document);
  if (known) return known;
  const found: Link[] = [];
  let used: ReadonlySet<string> | undefined;
  for (const { start, text } of visibleText(document)) {
    if (text.length > maxLine || !(text.includes('](') || text.includes(']:'))) continue;
    for (const match of withoutCode(text).matchAll(inlineForm)) {
      const from = start + match.index + 2;
      found.push({ target: match[1] ?? '', start: from, end: start + match.index + match[0].length - 1 });
    }
    const definition = definitionForm.exec(text);
    if (!definition) continue;
    const [, before = '', name = '', target = ''] = definition;
    used ??= usedNames(document);
    if (used.has(comparable(name)))
      found.push({ target, start: start + before.length, end: start + before.length + target.length });
  }
  cache.set(document, found);
  return found;
}

const cache = new WeakMap<KepDocument, readonly Link[]>();

/** All that stands in brackets, except where it is defined. */
function usedNames({ text }: KepDocument): ReadonlySet<string> {
  return new Set([...text.matchAll(/\[([^[\]]{1,300})\](?!:)/g)].map(([, name = '']) => comparable(name)));
}

function comparable(name: string): string {
  return name.trim().replace(/\s+/g, ' ').toLowerCase();
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
