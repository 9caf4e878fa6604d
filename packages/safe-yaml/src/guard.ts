import type { YamlLimits } from './limits.js';
import { placeOf, YamlError } from './yaml-error.js';

/**
 * Refuses a text that is too large, too deep or has too many aliases, in one pass
 * without recursion, before any parser sees it. Merge keys are refused too: they
 * are no part of YAML 1.2, and expanding them takes exponential time.
 *
 * It follows the structure of valid YAML only; what is not valid passes and is
 * left to the parser.
 * @throws YamlError
 */
export function guard(text: string, limits: YamlLimits): void {
  const { maxBytes } = limits;
  // A deeply indented text is large as well; that it is deep says more.
  new Guard(text.length > maxBytes ? text.slice(0, maxBytes) : text, limits).run();
  if (text.length > maxBytes || Buffer.byteLength(text) > maxBytes) {
    throw new YamlError(`the text is larger than ${maxBytes} bytes`, { line: 1, column: 1 });
  }
}

const lineEnd = '\n';

class Guard {
  readonly #text: string;
  readonly #limits: YamlLimits;
  #at = 0;
  #lineStart = 0;
  /**
   * Open block collections from the outside in: twice the column, plus one for
   * a sequence, since a sequence may stand at the column of the mapping it is in.
   */
  #open: number[] = [];
  #flowDepth = 0;
  #aliases = 0;
  #nodes = 0;

  constructor(text: string, limits: YamlLimits) {
    this.#text = text;
    this.#limits = limits;
  }

  run(): void {
    // A byte order mark is not part of the first line.
    if (this.#text.charCodeAt(0) === 0xfeff) this.#lineStart = this.#at = 1;
    while (this.#at < this.#text.length) {
      this.#line();
      this.#nextLine();
    }
  }

  /** One line of block structure, with everything of several lines that starts on it. */
  #line(): void {
    this.#count();
    if (this.#documentMarker()) {
      this.#open = [];
      this.#at += 3;
    } else if (this.#open.length === 0 && this.#char() === '%') {
      return;
    }
    let nodeColumn: number | undefined;
    for (;;) {
      this.#skipBlanks();
      const char = this.#char();
      if (char === '' || char === lineEnd || char === '#') return;
      const column = this.#at - this.#lineStart;
      if ('-?:'.includes(char) && isBlank(this.#text[this.#at + 1])) {
        this.#count();
        this.#enter(column * 2 + (char === '-' ? 1 : 0));
        this.#at++;
        nodeColumn = undefined;
        continue;
      }
      nodeColumn ??= column;
      if (char === '&' || char === '!') {
        this.#skipWord();
        continue;
      }
      if (char === '|' || char === '>') {
        this.#skipDeeperLines();
        return;
      }

      const start = this.#at;
      const isPlain = this.#node(char);
      if (this.#isKeyEnd()) {
        this.#refuseMergeKey(start);
        this.#enter(nodeColumn * 2);
        this.#at++;
        nodeColumn = undefined;
      } else if (isPlain) {
        // What follows further in belongs to the same text, brackets and all.
        this.#skipDeeperLines();
        return;
      }
    }
  }

  /** Skips a node that is not a block collection. Says whether it was a plain scalar. */
  #node(char: string): boolean {
    if (char === '"' || char === "'") this.#skipQuoted(char);
    else if (char === '[' || char === '{') this.#flow();
    else if (char === '*') this.#alias();
    else {
      this.#skipPlain('');
      return true;
    }
    return false;
  }

  #flow(): void {
    do {
      const char = this.#char();
      const start = this.#at;
      if (char === '') return;
      if (char === lineEnd) {
        this.#count();
        this.#nextLine();
      } else if (char === '[' || char === '{') {
        this.#flowDepth++;
        this.#checkDepth(this.#at);
        this.#at++;
      } else if (char === ']' || char === '}') {
        this.#flowDepth--;
        this.#at++;
      } else if (char === '"' || char === "'") this.#skipQuoted(char);
      else if (char === '*') this.#alias();
      else if (char === '&' || char === '!') this.#skipWord();
      else if (char === '#') this.#skipToLineEnd();
      else if (char === ',' || char === ':' || isBlank(char)) {
        if (!isBlank(char)) this.#count();
        this.#at++;
      } else {
        this.#skipPlain(',[]{}');
        if (this.#isKeyEnd()) this.#refuseMergeKey(start);
      }
    } while (this.#flowDepth > 0);
  }

  #enter(level: number): void {
    while ((this.#open.at(-1) ?? -1) > level) this.#open.pop();
    if (this.#open.at(-1) !== level) this.#open.push(level);
    this.#checkDepth(this.#lineStart + Math.floor(level / 2));
  }

  #checkDepth(at: number): void {
    const { maxDepth } = this.#limits;
    if (this.#open.length + this.#flowDepth > maxDepth) this.#refuse(`nested more than ${maxDepth} levels deep`, at);
  }

  #count(): void {
    const { maxNodes } = this.#limits;
    if (++this.#nodes > maxNodes) this.#refuse(`more than ${maxNodes} keys, elements and lines`, this.#at);
  }

  #alias(): void {
    this.#aliases++;
    const { maxAliases } = this.#limits;
    if (this.#aliases > maxAliases) this.#refuse(`more than ${maxAliases} aliases`, this.#at);
    this.#skipWord();
  }

  #refuseMergeKey(start: number): void {
    if (this.#text.slice(start, this.#at).trimEnd() !== '<<') return;
    this.#refuse('merge keys (<<) are not supported: write the fields out', start);
  }

  #refuse(problem: string, at: number): never {
    throw new YamlError(problem, placeOf(this.#text, at));
  }

  /** Skips the rest of this line and all further in than the innermost open collection. Stops at the end of a line. */
  #skipDeeperLines(): void {
    const parent = Math.floor((this.#open.at(-1) ?? -2) / 2);
    for (;;) {
      this.#skipToLineEnd();
      const lineAt = this.#at + 1;
      if (lineAt >= this.#text.length) return;
      let first = lineAt;
      while (this.#text[first] === ' ') first++;
      const isEmpty = this.#text[first] === lineEnd || this.#text[first] === '\r';
      if (!isEmpty && first - lineAt <= parent) return;
      if (this.#isMarkerAt(lineAt)) return;
      this.#nextLine();
    }
  }

  #skipPlain(terminators: string): void {
    for (let char = this.#char(); char !== '' && char !== lineEnd; char = this.#char()) {
      if (terminators.includes(char)) return;
      if (char === ':' && this.#isKeyEnd(terminators)) return;
      if (char === '#' && isBlank(this.#text[this.#at - 1])) return;
      this.#at++;
    }
  }

  #skipQuoted(quote: string): void {
    this.#at++;
    for (let char = this.#char(); char !== ''; char = this.#char()) {
      if (char === lineEnd) {
        this.#nextLine();
        continue;
      }
      this.#at++;
      if (char === '\\' && quote === '"' && this.#char() !== lineEnd) this.#at++;
      else if (char === quote) {
        if (quote !== "'" || this.#char() !== "'") return;
        this.#at++;
      }
    }
  }

  #skipWord(): void {
    do this.#at++;
    while (!isBlank(this.#char()) && !',[]{}'.includes(this.#char()));
  }

  #skipBlanks(): void {
    while (this.#char() === ' ' || this.#char() === '\t' || this.#char() === '\r') this.#at++;
  }

  #skipToLineEnd(): void {
    const end = this.#text.indexOf(lineEnd, this.#at);
    this.#at = end < 0 ? this.#text.length : end;
  }

  #nextLine(): void {
    this.#skipToLineEnd();
    this.#at++;
    this.#lineStart = this.#at;
  }

  /** Whether a colon that ends a key comes next, blanks before it aside. */
  #isKeyEnd(terminators = ''): boolean {
    let at = this.#at;
    while (this.#text[at] === ' ' || this.#text[at] === '\t') at++;
    if (this.#text[at] !== ':') return false;
    const next = this.#text[at + 1];
    const isEnd = isBlank(next) || (next !== undefined && terminators.includes(next));
    if (isEnd) this.#at = at;
    return isEnd;
  }

  #documentMarker(): boolean {
    return this.#at === this.#lineStart && this.#isMarkerAt(this.#at);
  }

  #isMarkerAt(at: number): boolean {
    const mark = this.#text.slice(at, at + 3);
    return (mark === '---' || mark === '...') && isBlank(this.#text[at + 3]);
  }

  #char(): string {
    return this.#text[this.#at] ?? '';
  }
}

/** White space, or the end of the text. */
function isBlank(char: string | undefined): boolean {
  return char === undefined || char === '' || char === ' ' || char === '\t' || char === '\n' || char === '\r';
}
