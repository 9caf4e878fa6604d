import type { Comment } from '../document/comments.js';
import type { KepDocument } from '../document/document.js';
import { fingerprint } from '../document/fingerprint.js';
import type { Span } from '../document/lines.js';
import { apart, rememberingLast } from '../document/remember.js';
import type { Edit } from '../metadata/edit.js';
import { knownGuidance } from './known-guidance.js';
import { ownGuidance } from './own-guidance.js';

/** An instruction of a template. The preamble is the long one before the title. */
export interface GuidanceComment {
  readonly comment: Comment;
  readonly isPreamble: boolean;
}

/** The comments of a document that came with a template and are as they were. */
export const guidanceComments = rememberingLast((document: KepDocument): readonly GuidanceComment[] => {
  const found: GuidanceComment[] = [];
  for (const comment of document.comments) {
    if (comment.kind !== 'other' || comment.inline) continue;
    const isPreamble = /To get started with this template|^Template 20\d\d\.\d+ of/.test(comment.body);
    if (isPreamble || isGuidance(comment.body)) found.push({ comment, isPreamble });
  }
  return found;
});

/** Bodies that were recognised, one of each length: proposals that keep a comment keep the same one. */
const recognised = new Map<number, string>();
const maxRecognised = 1_000;

function isGuidance(body: string): boolean {
  if (recognised.get(body.length) === body) return true;
  const print = fingerprint(body.replace(/\s+/g, ' ').toLowerCase());
  const isKnown = knownGuidance.has(print) || ownGuidance.has(print);
  if (isKnown && recognised.size < maxRecognised) recognised.set(body.length, apart(body));
  return isKnown;
}

/** Takes a comment out with its lines, and with the blank line behind it when one stands before it. */
export function wholeLines({ text, lines }: KepDocument, { start, end }: Span): Edit {
  const first = lines.at(start);
  const last = lines.at(end);
  const isAlone = text.slice(lines.start(first), start).trim() === '' && text.slice(end, lines.end(last)).trim() === '';
  if (!isAlone) return { start, end, text: '' };
  const isBlank = (line: number) => text.slice(lines.start(line), lines.end(line)).trim() === '';
  const blankBefore = first === 0 || isBlank(first - 1);
  const next = last + 1 < lines.count && blankBefore && isBlank(last + 1) ? last + 2 : last + 1;
  return { start: lines.start(first), end: next < lines.count ? lines.start(next) : text.length, text: '' };
}
