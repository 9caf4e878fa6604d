import MarkdownIt from 'markdown-it';
import type { KepDocument } from '../document/document.js';
import { anchorsByHeading } from '../document/toc.js';
import { bodyText, type LinkTargets } from './render-markdown.js';

/** A part of a document: text, or an element around parts. */
export type TextNode = string | TextElement;

export interface TextElement {
  /** One of `textTags`. */
  readonly tag: string;
  /** Of the first line of a block, from 1. */
  readonly line?: number;
  /** Anchor of a heading, as GitHub gives it. */
  readonly id?: string;
  /** Of an `a`. */
  readonly href?: string;
  /** Of an `input`: a box of a list. */
  readonly checked?: boolean;
  readonly children: readonly TextNode[];
}

/** Every tag that a tree may have. */
export const textTags: ReadonlySet<string> = new Set(
  'h2 h3 h4 h5 h6 p ul ol li blockquote pre code em strong s a table thead tbody tr th td hr br input div'.split(' '),
);

interface Draft {
  tag: string;
  line?: number;
  id?: string;
  href?: string;
  children: TextNode[];
}

/**
 * Reads a document as a tree for pages that build elements instead of HTML, so that nothing an author wrote is read as
 * markup. Comments, the title and the table of contents are left out, and of HTML its text is left. Pictures are named.
 */
export function documentTree(document: KepDocument, { link }: Pick<LinkTargets, 'link'>): readonly TextNode[] {
  const markdown = new MarkdownIt({ html: true, linkify: true });
  markdown.validateLink = () => true;
  const anchors = new Map([...anchorsByHeading(document)].map(([{ line }, anchor]) => [line, anchor]));
  const top: Draft = { tag: 'div', children: [] };
  const open: Draft[] = [top];
  const last = () => open.at(-1) ?? top;

  const read = (tokens: ReturnType<typeof markdown.parse>) => {
    for (const token of tokens) {
      const { type, nesting, content, map, children, hidden } = token;
      const at = map ? { line: map[0] + 1 } : {};
      if (type === 'inline') read(children ?? []);
      else if (type === 'text') add(last(), content);
      else if (type === 'softbreak') add(last(), '\n');
      else if (type === 'html_inline') add(last(), /^<br\b/i.test(content) ? { tag: 'br', children: [] } : '');
      else if (type === 'html_block') addText(last(), withoutTags(content), at);
      else if (type === 'image') add(last(), `[picture: ${content || (token.attrGet('src') ?? '')}]`);
      else if (type === 'fence' || type === 'code_block') add(last(), { tag: 'pre', ...at, children: [content] });
      else if (type === 'code_inline') add(last(), { tag: 'code', children: [content] });
      else if (nesting === 0) add(last(), { tag: tagOf(token.tag), ...at, children: [] });
      else if (hidden) continue;
      else if (nesting === 1) {
        const id = type === 'heading_open' ? anchors.get(map?.[0] ?? -1) : undefined;
        const href = type === 'link_open' ? link(String(token.attrGet('href') ?? '')) : undefined;
        open.push({ tag: tagOf(token.tag), ...at, ...(id && { id }), ...(href && { href }), children: [] });
      } else close();
    }
  };
  const close = () => {
    const done = open.length > 1 ? open.pop() : undefined;
    if (done) add(last(), done.tag === 'li' ? withBox(done) : done);
  };
  read(markdown.parse(bodyText(document), {}));
  while (open.length > 1) close();
  return top.children;
}

function add({ children }: Draft, node: TextNode): void {
  if (node !== '') children.push(node);
}

function addText(parent: Draft, text: string, at: { readonly line?: number }): void {
  if (text !== '') parent.children.push({ tag: 'p', ...at, children: [text] });
}

/** The page has its own heading of level 1, and knows no other tags. */
function tagOf(tag: string): string {
  if (tag === 'h1') return 'h2';
  return textTags.has(tag) ? tag : 'div';
}

/** Text of raw HTML. Comments are gone by now. */
function withoutTags(html: string): string {
  return html.replace(/<[^<>]*>/g, '').trim();
}

/** A list item that begins with `[ ]` or `[x]` begins with a box. */
function withBox(item: Draft): TextElement {
  const [first, ...others] = item.children;
  if (typeof first === 'object') {
    const inner = first.tag === 'p' ? withBox({ ...first, children: [...first.children] }) : first;
    return { ...item, children: [inner, ...others] };
  }
  const mark = /^\[([ xX])\] /.exec(first ?? '')?.[1];
  if (first === undefined || mark === undefined) return item;
  const box = { tag: 'input', checked: mark !== ' ', children: [] };
  return { ...item, children: [box, first.slice(3), ...others] };
}
