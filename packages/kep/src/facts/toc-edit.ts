import type { KepDocument } from '../document/document.js';
import { lineEndingText } from '../document/lines.js';
import type { Edit } from '../metadata/edit.js';

/** Writes a table of contents between the marks of a document. */
export function tocEdit({ toc, lines }: KepDocument, table: string): Edit {
  const eol = lineEndingText(lines.ending === 'mixed' ? 'lf' : lines.ending);
  const text = `${eol}${table === '' ? '' : table.replaceAll('\n', eol) + eol}`;
  return { start: toc?.open.end ?? 0, end: toc?.close.start ?? 0, text };
}
