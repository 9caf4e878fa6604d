import MarkdownIt from 'markdown-it';
import { lineKind } from '../document/blocks.js';
import type { KepDocument } from '../document/document.js';
import type { Span } from '../document/lines.js';
import { anchorsByHeading } from '../document/toc.js';
import { escapeHtml } from './html.js';

/** Where the links and pictures of a document lead on the site; undefined for those that lead nowhere there. */
export interface LinkTargets {
  link(target: string): string | undefined;
  image(target: string): string | undefined;
}

/** The only tags of the author that are kept, and none of their attributes. */
const keptTags =
  /^<(\/?)(details|summary|br|sub|sup|kbd|p|b|i|em|strong|code|ul|ol|li|table|thead|tbody|tr|td|th)\b[^<>]*>/i;
const picture = /^<img\b[^<>]*?\bsrc\s*=\s*["']?([^"'\s<>]{1,500})[^<>]*>/i;

/**
 * A README as HTML for a page without trusted authors: no scripts, no styles, no attributes of the author, links
 * only to the web, to mail and within the site. Comments, the title and the table of contents are left out.
 * The headings have the anchors that GitHub gives them, so that links from elsewhere go on working.
 */
export function renderMarkdown(document: KepDocument, targets: LinkTargets): string {
  const markdown = new MarkdownIt({ html: true, linkify: true });
  markdown.validateLink = () => true;
  const anchors = new Map<number, string>();
  for (const [{ line }, anchor] of anchorsByHeading(document)) anchors.set(line, anchor);
  const leading: boolean[] = [];
  const { rules } = markdown.renderer;
  rules.html_block = (tokens, at) => keptHtml(tokens[at]?.content ?? '', targets);
  rules.html_inline = (tokens, at) => keptHtml(tokens[at]?.content ?? '', targets);
  rules.heading_open = (tokens, at) => {
    const token = tokens[at];
    const anchor = anchors.get(token?.map?.[0] ?? -1);
    const id = anchor ? ` id="${escapeHtml(anchor)}"` : '';
    // The page has its own heading of level 1; others of the author follow it.
    return `<${lowered(token?.tag)}${id}>`;
  };
  rules.heading_close = (tokens, at) => `</${lowered(tokens[at]?.tag)}>\n`;
  rules.link_open = (tokens, at) => {
    const href = targets.link(String(tokens[at]?.attrGet('href') ?? ''));
    leading.push(href !== undefined);
    return href === undefined ? '<span class="no-link">' : `<a href="${escapeHtml(href)}">`;
  };
  rules.link_close = () => (leading.pop() ? '</a>' : '</span>');
  rules.image = (tokens, at) => {
    const token = tokens[at];
    return imageTag(String(token?.attrGet('src') ?? ''), token?.content ?? '', targets);
  };
  rules.table_open = () => '<div class="scroll"><table>\n';
  rules.table_close = () => '</table></div>\n';
  return markdown.render(bodyText(document)).replace(boxes, box);
}

/** A box at the beginning of a list item. */
const boxes = /<li>(\s*<p>)?\[([ xX])\] /g;

function box(_: string, paragraph: string | undefined, mark: string): string {
  return `<li class="box">${paragraph ?? ''}<input type="checkbox" disabled${mark === ' ' ? '' : ' checked'}> `;
}

function lowered(tag: string | undefined): string {
  return tag === 'h1' || tag === undefined ? 'h2' : tag;
}

function imageTag(source: string, alt: string, targets: LinkTargets): string {
  const shown = targets.image(source);
  if (shown === undefined) return `<span class="no-link">[picture: ${escapeHtml(alt || source)}]</span>`;
  return `<img src="${escapeHtml(shown)}" alt="${escapeHtml(alt)}" loading="lazy">`;
}

/** Raw HTML of the author: known tags without their attributes, the rest as text. */
function keptHtml(source: string, targets: LinkTargets): string {
  let kept = '';
  let at = 0;
  while (at < source.length) {
    const rest = source.slice(at, at + 2_000);
    const image = picture.exec(rest);
    const tag = keptTags.exec(rest);
    if (image) {
      kept += imageTag(image[1] ?? '', '', targets);
      at += image[0].length;
    } else if (tag) {
      kept += `<${tag[1]}${tag[2]?.toLowerCase()}>`;
      at += tag[0].length;
    } else {
      const next = source.indexOf('<', at + 1);
      const end = next < 0 ? source.length : next;
      kept += escapeHtml(source.slice(at, end));
      at = end;
    }
  }
  return kept;
}

/**
 * The text with its title, comments, front matter and table of contents blanked out, so that lines keep their numbers.
 */
export function bodyText({ text, comments, toc, blocks, lines }: KepDocument): string {
  const title = blocks.headings.find(({ level }) => level === 1);
  const matter = blocks.kinds.lastIndexOf(lineKind.frontMatter);
  const hidden: Span[] = [...comments];
  if (toc) hidden.push({ start: toc.open.start, end: toc.close.end });
  if (title) hidden.push(title);
  if (matter >= 0) hidden.push({ start: 0, end: lines.end(matter) });
  hidden.sort((one, other) => one.start - other.start);
  let shown = '';
  let at = 0;
  for (const { start, end } of hidden) {
    if (end <= at) continue;
    const from = Math.max(start, at);
    shown += text.slice(at, from) + text.slice(from, end).replace(/[^\r\n]+/g, '');
    at = end;
  }
  return shown + text.slice(at);
}
