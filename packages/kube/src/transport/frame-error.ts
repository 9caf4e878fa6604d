/** A frame of a watch could not be read or understood. What it said is lost: list anew. */
export class FrameError extends Error {
  override readonly name = 'FrameError';
}
