import type { CommentBlock } from './blocks.js';
import type { Span } from './lines.js';

/** The comments within stretches of inline text; those in code spans and those that do not end within are text. */
export function inlineComments(text: string, runs: readonly Span[]): CommentBlock[] {
  const found: CommentBlock[] = [];
  for (const { start, end } of runs) {
    const run = text.slice(start, end);
    let code = codeSpans(run, 0);
    let at = run.indexOf('<!--');
    while (at >= 0) {
      const inCode = code.find((span) => span.start <= at && at < span.end);
      if (inCode) {
        at = run.indexOf('<!--', inCode.end);
        continue;
      }
      const close = run.indexOf('-->', at + 2);
      if (close < 0) break;
      found.push({ start: start + at, end: start + close + 3, inline: true, malformed: false });
      code = code.filter((span) => span.start > close).length > 0 ? codeSpans(run, close + 3) : [];
      at = run.indexOf('<!--', close + 3);
    }
  }
  return found;
}

const maxRun = 20_000;

/** Code spans from an offset on, in one pass; none in stretches too long for text that people write. */
function codeSpans(run: string, from: number): Span[] {
  if (run.length > maxRun) return [];
  const marks = [...run.matchAll(/`+/g)].filter((mark) => mark.index >= from);
  const spans: Span[] = [];
  const next = new Map<number, number[]>();
  marks.forEach((mark, at) => {
    const of = next.get(mark[0].length) ?? [];
    of.push(at);
    next.set(mark[0].length, of);
  });
  for (let at = 0; at < marks.length; at++) {
    const mark = marks[at];
    if (!mark) break;
    const same = next.get(mark[0].length) ?? [];
    while ((same[0] ?? Number.POSITIVE_INFINITY) <= at) same.shift();
    const close = same[0];
    if (close === undefined) continue;
    const closing = marks[close];
    spans.push({ start: mark.index, end: (closing?.index ?? 0) + (closing?.[0].length ?? 0) });
    at = close;
  }
  return spans;
}
