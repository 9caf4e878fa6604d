import type { KepDocument } from '../document/document.js';
import type { Span } from '../document/lines.js';
import { NextText } from '../document/next-text.js';
import { rememberingLast } from '../document/remember.js';
import { type VisibleText, visibleText, withoutCode } from './visible-text.js';

/** Where a link, or the definition of a reference that is used, leads; the span is that of the target. */
export interface Link extends Span {
  readonly target: string;
}

const inlineForm = /\]\(\s*<?([^\s()<>]{1,1000})>?(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)/g;
const definitionForm = /^( {0,3}\[(?!\^)([^\]]{1,300})\]:[ \t]*<?)([^\s<>]{1,1000})/;
const maxLine = 20_000;

/** The links in the prose of a document: `[text](target)`, `![text](target)`, and `[name]: target` where `[name]` is used. */
export const linksOf = rememberingLast((document: KepDocument): readonly Link[] => {
  const found: Link[] = [];
  let used: ReadonlySet<string> | undefined;
  for (const { start, text } of partsWithLinks(document)) {
    if (text.length > maxLine) continue;
    if (text.includes('](')) addInline(start, withoutCode(text), found);
    const definition = text.includes(']:') ? definitionForm.exec(text) : null;
    if (!definition) continue;
    const [, before = '', name = '', target = ''] = definition;
    const isUsed = () => {
      used ??= usedNames(document);
      return used.has(comparable(name));
    };
    if (isUsedAsTyped(document.text, name) || isUsed())
      found.push({ target, start: start + before.length, end: start + before.length + target.length });
  }
  return found;
});

function addInline(start: number, text: string, found: Link[]): void {
  inlineForm.lastIndex = 0;
  for (let match = inlineForm.exec(text); match; match = inlineForm.exec(text)) {
    const from = start + match.index;
    found.push({ target: match[1] ?? '', start: from + 2, end: from + match[0].length - 1 });
  }
}

/** The stretches of prose that hold `](` or `]:`, which few do. */
function partsWithLinks(document: KepDocument): readonly VisibleText[] {
  const parts = visibleText(document);
  const targets = new NextText(document.text, '](');
  const definitions = new NextText(document.text, ']:');
  const found: VisibleText[] = [];
  for (let next = 0; next < parts.length; next++) {
    const from = parts[next]?.start ?? 0;
    const target = targets.from(from);
    const definition = definitions.from(from);
    if (target < 0 && definition < 0) break;
    const first = target < 0 || (definition >= 0 && definition < target) ? definition : target;
    next = partBefore(parts, first, next);
    const part = parts[next];
    if (part && (holds(part, target) || holds(part, definition))) found.push(part);
  }
  return found;
}

/** Whether two characters at an offset of the document belong to a stretch. */
function holds({ start, text }: VisibleText, at: number): boolean {
  return at >= start && at + 1 < start + text.length;
}

/** Index of the last part, from `first` on, that begins at or before an offset; `first` when none does. */
function partBefore(parts: readonly VisibleText[], offset: number, first: number): number {
  let low = first;
  let high = parts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((parts[middle]?.start ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Whether a name stands somewhere letter by letter, as most that are used do; the others have to be looked for among all. */
function isUsedAsTyped(text: string, name: string): boolean {
  if (name.includes('[')) return false;
  const typed = `[${name}]`;
  let at = text.indexOf(typed);
  while (at >= 0 && text[at + typed.length] === ':') at = text.indexOf(typed, at + 1);
  return at >= 0;
}

/** All that stands in brackets, except where it is defined. */
function usedNames({ text }: KepDocument): ReadonlySet<string> {
  return new Set([...text.matchAll(/\[([^[\]]{1,300})\](?!:)/g)].map(([, name = '']) => comparable(name)));
}

function comparable(name: string): string {
  return name.trim().replace(/\s+/g, ' ').toLowerCase();
}

/** The path, relative to the root, that a link of a file in `directory` means; undefined for addresses and anchors. */
export function localPath(target: string, directory: string): string | undefined {
  if (/^(?:#|https?:)/.test(target)) return undefined;
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
