import { behindBlank, closesFence, fenceAt, nextLine } from './mdtoc-marks.js';

const blockTags = new Set(
  (
    'blockquote del dd div dl dt fieldset form h1 h2 h3 h4 h5 h6 iframe ins li math noscript ol pre p script style table ul ' +
    'address article aside canvas details dialog figcaption figure footer header hgroup main nav output progress section video'
  ).split(' '),
);

/**
 * The ends of what goes over several lines of one text, as the reader of `mdtoc` finds them. Each is looked for from
 * growing offsets, so what was found or missed is kept: the whole takes linear time.
 */
export class MdtocStretches {
  readonly #text: string;
  readonly #found = new Map<string, { readonly from: number; readonly at: number }>();

  constructor(text: string) {
    this.#text = text;
  }

  /** Behind a block between two equal marks: front matter (`---` or `%%%`), wherever a block may begin. */
  frontMatter(at: number): number | undefined {
    const mark = this.#text.slice(at, at + 3);
    if (mark !== '---' && mark !== '%%%') return undefined;
    const end = this.#next(mark, at + 3);
    return end < 0 ? undefined : end + 3;
  }

  /** Behind `<reference ...>...</reference>`, which without an end tag extends to the end of the file. */
  bibliography(at: number): number | undefined {
    if (!this.#text.startsWith('<reference ', at)) return undefined;
    const end = this.#next('</reference>', at);
    return end < 0 ? this.#text.length : end + '</reference>'.length;
  }

  /** Behind an element of a block, whose end tag has a line end and a blank line behind it. */
  element(at: number): number | undefined {
    const tag = /^[A-Za-z0-9]+/.exec(this.#text.slice(at + 1, at + 12))?.[0] ?? '';
    if (!blockTags.has(tag) || tag === 'ins' || tag === 'del') return undefined;
    const end = this.#memo(`<${tag}`, at + 1, (from) => this.#endTag(`</${tag}>`, from));
    return end < 0 ? undefined : (this.#behindEndTag(`</${tag}>`, end) ?? undefined);
  }

  /** Behind a comment, if nothing stands behind it on its line. */
  comment(at: number): number | undefined {
    if (!this.#text.startsWith('<!--', at)) return undefined;
    const end = this.#next('-->', at + 3);
    return end < 0 ? undefined : behindBlank(this.#text, end + 3);
  }

  /** Behind a code block between marks; undefined when it never ends, for then it is text. */
  fence(at: number): number | undefined {
    const open = fenceAt(this.#text, at);
    if (!open || open.first >= this.#text.length) return undefined;
    const close = this.#memo(`fence ${open.mark}`, open.first, (from) => this.#closingLine(open.mark, from));
    return close < 0 ? undefined : closesFence(this.#text, close, open.mark);
  }

  math(at: number): number | undefined {
    const text = this.#text;
    if (!text.startsWith('$$', at) || text[at + 2] === '$' || text.length - at <= 4) return undefined;
    const end = this.#next('$$', at + 2);
    return end < 0 ? undefined : end + 2;
  }

  /** Behind a span between equal runs of backticks; `at` when none begins there. */
  codeSpan(at: number): number {
    let length = 0;
    while (this.#text[at + length] === '`') length++;
    if (length === 0) return at;
    const end = this.#next('`'.repeat(length), at + length);
    return end < 0 ? at : end + length;
  }

  /** The end of the line that goes on behind the spans of code on it, of which the first may begin at `from`. */
  lineEndBehindCode(from: number, lineEnd: number): number {
    const text = this.#text;
    let end = lineEnd;
    for (let at = from; at >= 0 && at < end; at = text.indexOf('`', at)) {
      at = Math.max(at + 1, this.codeSpan(at));
      if (at <= end) continue;
      const next = text.indexOf('\n', at);
      end = next < 0 ? text.length : next;
    }
    return end;
  }

  #endTag(tag: string, from: number): number {
    for (let at = this.#text.indexOf(tag, from); at >= 0; at = this.#text.indexOf(tag, at + 1)) {
      if (this.#behindEndTag(tag, at) !== undefined) return at;
    }
    return -1;
  }

  #behindEndTag(tag: string, at: number): number | undefined {
    const line = behindBlank(this.#text, at + tag.length);
    return line === undefined || line >= this.#text.length ? line : behindBlank(this.#text, line);
  }

  #closingLine(mark: string, from: number): number {
    const text = this.#text;
    for (let at = text.indexOf(mark, from); at >= 0; at = text.indexOf(mark, nextLine(text, at))) {
      const line = Math.max(from, text.lastIndexOf('\n', at) + 1);
      if (closesFence(text, line, mark) !== undefined) return line;
    }
    return -1;
  }

  #next(mark: string, from: number): number {
    return this.#memo(mark, from, (start) => this.#text.indexOf(mark, start));
  }

  /** What `search` finds from an offset; searches only stretches that were not searched before. */
  #memo(name: string, from: number, search: (from: number) => number): number {
    const known = this.#found.get(name);
    if (known && known.from <= from && (known.at < 0 || known.at >= from)) return known.at;
    const at = search(from);
    this.#found.set(name, { from, at });
    return at;
  }
}
