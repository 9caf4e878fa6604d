/** An object is not what its type says, or cannot be seen as another version has it. */
export class ShapeError extends Error {
  override readonly name = 'ShapeError';
}
