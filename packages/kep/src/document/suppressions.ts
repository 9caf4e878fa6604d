import type { Comment } from './comments.js';
import type { Lines, Span } from './lines.js';

/** A comment that hides findings of some rules on some lines. */
export interface Suppression extends Span {
  /** Rule ids or slugs. */
  readonly rules: readonly string[];
  readonly reason: string;
  /** First and last line it covers, counted from 0. */
  readonly firstLine: number;
  readonly lastLine: number;
}

/** Of one document. Each is looked at for each finding; no document has a tenth of this. */
const maxSuppressions = 1_000;

const form = /^slipway-(disable-next-line|disable-section|disable-file|disable|enable)\b[ \t]*([\s\S]*)$/;
const name = /^(KEP-?D?\d{2,3}|[a-z]+(?:-[a-z]+)+)(?:\s*,\s*|\s*:\s*|\s+|$)/;

/**
 * Reads the suppressions of a document. `sectionEnd` gives the last line of the
 * section that holds a line. A plain `disable` holds until its `enable`, or to the end.
 */
export function readSuppressions(
  comments: readonly Comment[],
  lines: Lines,
  sectionEnd: (line: number) => number,
): Suppression[] {
  const found: Suppression[] = [];
  const enables = comments
    .filter(({ kind, body }) => kind === 'suppression' && body.startsWith('slipway-enable'))
    .slice(0, maxSuppressions)
    .map(({ start, body }) => ({ start, rules: readNames(body.slice('slipway-enable'.length)).rules }));
  for (const comment of comments) {
    if (found.length >= maxSuppressions) break;
    const match = comment.kind === 'suppression' ? form.exec(comment.body) : null;
    if (!match || match[1] === 'enable') continue;
    const { rules, reason } = readNames(match[2] ?? '');
    const line = lines.at(comment.start);
    const lastLine = lines.at(comment.end);
    const end = lines.count - 1;
    const until = (): number => {
      const enable = enables.find((other) => other.start > comment.start && overlaps(other.rules, rules));
      return enable ? lines.at(enable.start) : end;
    };
    const range: Record<string, () => [number, number]> = {
      'disable-next-line': () => [lastLine + 1, lastLine + 1],
      'disable-section': () => [line, sectionEnd(line)],
      'disable-file': () => [0, end],
      disable: () => [line, until()],
    };
    const [first, last] = range[match[1] ?? '']?.() ?? [0, -1];
    found.push({ start: comment.start, end: comment.end, rules, reason, firstLine: first, lastLine: last });
  }
  return found;
}

/** The rules named at the start of a text, and what follows them. */
export function readNames(text: string): { readonly rules: readonly string[]; readonly reason: string } {
  const rules: string[] = [];
  let rest = text.trim();
  for (let match = name.exec(rest); match; match = name.exec(rest)) {
    rules.push(match[1] ?? '');
    rest = rest.slice(match[0].length);
    if (!match[0].includes(',')) break;
  }
  return { rules, reason: rest.trim() };
}

function overlaps(some: readonly string[], others: readonly string[]): boolean {
  return some.length === 0 || some.some((each) => others.includes(each));
}
