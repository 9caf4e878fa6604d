import type { KepDocument } from '../document/document.js';
import type { Span } from '../document/lines.js';
import { rememberingLast } from '../document/remember.js';
import { proseWith, withoutCode } from './visible-text.js';

/** Where a link, or the definition of a reference that is used, leads; the span is that of the target. */
export interface Link extends Span {
  readonly target: string;
}

const inlineForm = /\]\(\s*<?([^\s()<>]{1,1000})>?(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)/g;
const definitionForm = /^( {0,3}\[(?!\^)([^\]]{1,300})\]:[ \t]*<?)([^\s<>]{1,1000})/;
/** Begins a link or a definition that leads to an address. */
const toAddress = /\](?:\(|:[ \t]*<?)https?:/y;
const maxLine = 20_000;

/**
 * The links in the prose of a document: `[text](target)`, `![text](target)`, and `[name]: target` where `[name]` is used. Leaves out lines that only
 * have links to addresses and, in the table of contents, to anchors: they need no look at others.
 */
export const linksOf = rememberingLast((document: KepDocument): readonly Link[] => {
  const found: Link[] = [];
  const { text: whole, toc } = document;
  const matters = (at: number) => {
    if (whole[at + 2] === '#' && toc && at > toc.open.start && at < toc.close.start) return false;
    toAddress.lastIndex = at;
    return !toAddress.test(whole);
  };
  let used: ReadonlySet<string> | undefined;
  for (const { start, text } of proseWith(document, ['](', ']:'], matters)) {
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
  const typed = new Set(text.match(/\[[^[\]]{1,300}\](?!:)/g));
  return new Set([...typed].map((name) => comparable(name.slice(1, -1))));
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
