import type { Comment } from './comments.js';
import type { Lines, Span } from './lines.js';

/** A stretch that is still argued about: from `<<[UNRESOLVED ...]>>` to `<<[/UNRESOLVED]>>`. */
export interface Unresolved extends Span {
  readonly line: number;
  readonly lastLine: number;
  readonly topic: string;
  readonly closed: boolean;
}

const mark = /<<\[(\/?)\s*UNRESOLVED\b([^\]\n]{0,300})\]>>/gi;

/** The unresolved stretches outside of comments. */
export function readUnresolved(text: string, lines: Lines, comments: readonly Comment[]): Unresolved[] {
  if (!text.includes('<<[')) return [];
  const found: Unresolved[] = [];
  let open: { start: number; end: number; topic: string } | undefined;
  const close = (end: number, closed: boolean) => {
    if (!open) return;
    const last = closed ? end : open.end;
    found.push({
      start: open.start,
      end: last,
      line: lines.at(open.start),
      lastLine: lines.at(last),
      topic: open.topic,
      closed,
    });
    open = undefined;
  };
  let next = 0;
  for (const match of text.matchAll(mark)) {
    while (next < comments.length && (comments[next]?.end ?? 0) <= match.index) next++;
    const comment = comments[next];
    if (comment && comment.start <= match.index) continue;
    const end = match.index + match[0].length;
    if (match[1] === '/') close(end, true);
    else {
      close(match.index, false);
      open = { start: match.index, end, topic: (match[2] ?? '').trim() };
    }
  }
  close(text.length, false);
  return found;
}
