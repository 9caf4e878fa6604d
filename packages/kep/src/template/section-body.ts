import type { KepDocument } from '../document/document.js';
import type { TemplateSection } from './template.js';

/**
 * Returns the text of a template below a heading, with `\n` for line ends and without its directives.
 * `guidance`: with the instructions to the author.
 */
export function bodyOf(template: KepDocument, { section }: TemplateSection, guidance: boolean): string {
  const from = template.lines.start(section.own.first);
  const to = section.own.last < section.own.first ? from : template.lines.end(section.own.last);
  let text = '';
  let at = from;
  for (const comment of template.comments) {
    if (comment.end <= from || comment.start >= to) continue;
    if (comment.kind !== 'directive' && (guidance || comment.kind !== 'other')) continue;
    text += template.text.slice(at, comment.start);
    at = comment.end;
  }
  text += template.text.slice(at, to);
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
