import type { EncodedText } from '@slipway/object-store/store';

/** A text whose bytes in UTF-8 may be there already; asked for them only when it is written. */
export interface TextSource {
  /** Characters. */
  readonly size: number;
  encoded(): EncodedText | string;
}

/** A part of a document that is written piece by piece. */
export type Piece = string | TextSource;

/** The piece as a string. */
export function textOfPiece(piece: Piece): string {
  const text = typeof piece === 'string' ? piece : piece.encoded();
  return typeof text === 'string' ? text : text.bytes.toString('utf8', text.start, text.end);
}

/** Characters of a piece. */
export function sizeOfPiece(piece: Piece): number {
  return typeof piece === 'string' ? piece.length : piece.size;
}

/** Writes a piece at a place where there is room for it, and says how many bytes it took. */
export function writePiece(piece: Piece, to: Buffer, at: number): number {
  const text = typeof piece === 'string' ? piece : piece.encoded();
  if (typeof text !== 'string') return text.bytes.copy(to, at, text.start, text.end);
  // Between the elements of a list there is a comma.
  if (text !== ',') return to.write(text, at);
  to[at] = comma;
  return 1;
}

const comma = 0x2c;
