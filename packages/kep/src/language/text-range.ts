import type { Lines, Span } from '../document/lines.js';
import type { Edit } from '../metadata/edit.js';

/** A place as editors count it: line and UTF-16 character from 0. */
export interface Position {
  readonly line: number;
  readonly character: number;
}

export interface TextRange {
  readonly start: Position;
  readonly end: Position;
}

/** An edit as editors take it. */
export interface TextEdit {
  readonly range: TextRange;
  readonly newText: string;
}

export function positionOf(lines: Lines, offset: number): Position {
  const line = lines.at(offset);
  return { line, character: offset - lines.start(line) };
}

export function rangeOf(lines: Lines, { start, end }: Span): TextRange {
  return { start: positionOf(lines, start), end: positionOf(lines, end) };
}

/** The offset of a place; places beyond the end of a line mean its end. */
export function offsetOf(lines: Lines, { line, character }: Position): number {
  return Math.min(lines.start(line) + character, lines.end(line));
}

export function textEditOf(lines: Lines, edit: Edit): TextEdit {
  return { range: rangeOf(lines, edit), newText: edit.text };
}

/** Whether two ranges share a place; a cursor between two letters touches both. */
export function touches(one: TextRange, other: TextRange): boolean {
  return !isBefore(one.end, other.start) && !isBefore(other.end, one.start);
}

function isBefore(one: Position, other: Position): boolean {
  return one.line < other.line || (one.line === other.line && one.character < other.character);
}
