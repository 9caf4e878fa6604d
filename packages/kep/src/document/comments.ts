import type { CommentBlock } from './blocks.js';
import { isDirective } from './directive.js';
import type { Span } from './lines.js';

export type CommentKind = 'directive' | 'suppression' | 'toc' | 'managed' | 'other';

/** A comment of the document, and what it is for. */
export interface Comment extends Span {
  readonly kind: CommentKind;
  /** What is between the marks, trimmed. */
  readonly body: string;
  readonly inline: boolean;
  readonly malformed: boolean;
}

/** Says what a comment is for. */
export function readComment(text: string, block: CommentBlock): Comment {
  const { start, end, inline, malformed } = block;
  const source = text.slice(start, end);
  const inner = source.slice(4);
  const closing = inner.endsWith('-->') ? 3 : inner.endsWith('--!>') ? 4 : 0;
  const body = inner.slice(0, inner.length - closing).trim();
  // Field by field: what is spread gets a layout of its own each time, and is slow to read.
  return { start, end, inline, malformed, body, kind: kindOf(source, body) };
}

function kindOf(source: string, body: string): CommentKind {
  if (isDirective(source)) return 'directive';
  if (/^slipway-(?:disable|enable)/.test(body)) return 'suppression';
  if (/^\/?toc$/i.test(body)) return 'toc';
  if (/^\/?slipway:/.test(body)) return 'managed';
  return 'other';
}
