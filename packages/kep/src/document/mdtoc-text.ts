/** A text with the line that each of its lines was taken from. */
export interface MdtocText {
  readonly text: string;
  readonly lines: readonly number[] | undefined;
}
