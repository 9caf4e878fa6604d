/** East Asian characters that take two columns (Unicode classes W and F, which no property of a RegExp names). */
const wide =
  /[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u3247\u3250-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1d300}-\u{1d376}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]/u;
/** Shown in colour and in two columns, whatever it is put together from. */
const emoji = /\p{Emoji_Presentation}|\ufe0f/u;
/** Drawn over or within what stands before it. */
const combining = /[\p{Mn}\p{Me}\u1160-\u11ff\ud7b0-\ud7ff]|\u200c|\u200d/u;
const ascii = /^[\x20-\x7e]*$/;

let known: Intl.Segmenter | undefined;

/** Made when a text needs it: reading its tables takes as long as Node takes to start. */
function segmenter(): Intl.Segmenter {
  known ??= new Intl.Segmenter();
  return known;
}

/** Columns that a printable string takes on a terminal: two for CJK and emoji, none for combining characters. */
export function displayWidth(text: string): number {
  if (ascii.test(text)) return text.length;
  return graphemes(text).reduce((sum, grapheme) => sum + widthOf(grapheme), 0);
}

/**
 * Folds a string into lines of at most `columns` (at least 2): at a blank where there is one, else behind `/`, `,`, `-`
 * or `:`, else anywhere between two characters. Nothing but the blanks at the folds is lost.
 */
export function foldLines(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let left = text;
  while (displayWidth(left) > columns) {
    const head = prefix(left, columns);
    const isAtBlank = left[head.length] === ' ';
    const at = isAtBlank ? head.length : foldAt(head);
    lines.push(left.slice(0, at).trimEnd());
    left = left.slice(at).trimStart();
  }
  return [...lines, left];
}

/** The longest beginning of a string that fits into `columns`, and at least one character. */
function prefix(text: string, columns: number): string {
  let width = 0;
  let head = '';
  for (const { segment } of segmenter().segment(text)) {
    width += widthOf(segment);
    if (width > columns && head !== '') break;
    head += segment;
  }
  return head;
}

function foldAt(head: string): number {
  const blank = head.lastIndexOf(' ');
  if (blank > 0) return blank;
  const [joint = ''] = /^.+[/,:-](?=.)/u.exec(head) ?? [];
  return joint.length || head.length;
}

function graphemes(text: string): readonly string[] {
  return Array.from(segmenter().segment(text), ({ segment }) => segment);
}

function widthOf(grapheme: string): number {
  if (emoji.test(grapheme)) return 2;
  let width = 0;
  for (const character of grapheme) if (!combining.test(character)) width += wide.test(character) ? 2 : 1;
  return width;
}
