import { lineKind } from '../document/blocks.js';
import type { CheckItem } from '../document/checklist.js';
import type { KepDocument } from '../document/document.js';
import { firstIndex } from '../document/first-index.js';
import { indentOf } from '../document/lines.js';
import { isPrintableAscii } from '../document/printable-ascii.js';
import type { Section } from '../document/sections.js';
import type { Scaffold } from './scaffold.js';

/** What stands in a section. From `empty` to `unresolved` nothing is answered yet. */
export type Answer = 'empty' | 'scaffold-only' | 'placeholder' | 'unresolved' | 'bare-na' | 'answered';

/** Later ones say more. */
const order: readonly Answer[] = ['empty', 'scaffold-only', 'placeholder', 'unresolved', 'bare-na', 'answered'];

/** The one of two that says more. */
export function betterAnswer(one: Answer, other: Answer): Answer {
  return one !== other && order.indexOf(other) > order.indexOf(one) ? other : one;
}

/** Whether something was written that readers can use. */
export function isAnswered(answer: Answer): boolean {
  return answer === 'answered' || answer === 'bare-na';
}

const placeholder =
  /^(?:tbd|tba|todo|fixme|xxx|wip|\?|…|<[^<>]{1,200}>|\[(?:words|text|link)\]|yyyy-mm-dd|v\d?\.?x\.?[xy]*|v1\.xx|[\s`*_:.,;!()-])+$/i;
/** What a placeholder begins with: few lines do. */
const placeholderStarts = 'tfxwyvTFXWYV?\u2026<[`*_:.,;!()-';
const bareNa = /^(?:no|none|n\/?a|not applicable|nope|nil|nothing)[\s.!]*$/i;
const label = labelOf('\\p{L}', 'iu');
const asciiLabel = labelOf('a-z', 'i');
const labelled = /^(?:[-*+]\s+)?(?:\[optional\]\s*)?[^:|]{1,60}:\s+(\S.*)$/i;

function labelOf(letter: string, flags: string): RegExp {
  const lead = String.raw`(?:[-*+]\s+|\d+[.)]\s+)?(?:\[optional\]\s*)?`;
  const marks = '[*_`]{0,3}';
  return new RegExp(`^${lead}${marks}[${letter}\\d][^:|]{0,90}:${marks}$`, flags);
}

/**
 * Reads what the lines between a heading and the next one hold, without the
 * comments, the lines that templates bring along, their boxes without a tick and labels without a value.
 */
export function ownAnswer(document: KepDocument, section: Section, scaffold: Scaffold): Answer {
  const reader = new Reader(document, section, scaffold);
  return reader.read();
}

class Reader {
  readonly #document: KepDocument;
  readonly #section: Section;
  readonly #scaffold: Scaffold;
  #seen: Answer = 'empty';
  #content = 0;
  #lastContent = '';
  /** Lines further in than this belong to a box without a tick. */
  #skipDeeperThan = -1;
  #skipParagraph = false;

  constructor(document: KepDocument, section: Section, scaffold: Scaffold) {
    this.#document = document;
    this.#section = section;
    this.#scaffold = scaffold;
  }

  read(): Answer {
    const { first, last } = this.#section.own;
    const { lines } = this.#document;
    const comments = this.#document.comments;
    let next = firstIndex(comments, ({ end }) => end > lines.start(first));
    let managed = false;
    for (let line = first; line <= last && this.#content < 2; line++) {
      const start = line === first && this.#section.form === 'question' ? this.#section.textStart : lines.start(line);
      const end = lines.end(line);
      let visible = '';
      let from = start;
      while (next < comments.length && (comments[next]?.start ?? 0) < end) {
        const comment = comments[next];
        if (!comment) break;
        if (comment.start > from) visible += this.#document.text.slice(from, comment.start);
        from = Math.max(from, comment.end);
        if (comment.kind === 'managed') managed = !comment.body.startsWith('/');
        if (comment.kind === 'other') this.#add('scaffold-only', '');
        if (comment.end > end) break;
        next++;
      }
      if (from < end) visible += this.#document.text.slice(from, end);
      if (!managed) this.#line(line, visible);
    }
    if (this.#content === 1 && bareNa.test(this.#lastContent.replace(/^[-*+]\s+/, '').replace(/[*_`]/g, '')))
      return 'bare-na';
    return this.#content > 0 ? 'answered' : this.#seen;
  }

  #line(line: number, visible: string): void {
    const kind = this.#document.blocks.kinds[line];
    const text = visible.trim();
    if (text === '') {
      this.#skipParagraph = false;
      return;
    }
    if (this.#skipDeeperThan >= 0) {
      if (indentOf(visible) > this.#skipDeeperThan) {
        this.#unticked(text);
        return;
      }
      this.#skipDeeperThan = -1;
    }
    if (this.#skipParagraph) return;
    const item = this.#itemAt(line);
    const shown = item ? item.text : text;
    let answer: Answer = 'answered';
    if (this.#isUnresolved(line)) answer = 'unresolved';
    else if (item && !item.checked && this.#scaffold.has(item.text)) {
      answer = 'scaffold-only';
      if (this.#document.text.startsWith('[', this.#document.lines.start(line))) this.#skipParagraph = true;
      else this.#skipDeeperThan = indentOf(visible);
    } else if (kind !== lineKind.fence) answer = answerOf(shown, this.#scaffold);
    else if (/^(`{3,}|~{3,})/.test(text)) answer = 'empty';
    this.#add(answer, shown);
  }

  /** Below a box without a tick only a label with a value says something: the tick was forgotten. */
  #unticked(text: string): void {
    const value = labelled.exec(text)?.[1];
    if (value && !/^(?:yes|no)\b/i.test(value)) this.#add(answerOf(text, this.#scaffold), text);
  }

  #add(answer: Answer, text: string): void {
    if (answer === 'answered') {
      this.#content++;
      this.#lastContent = text;
    } else this.#seen = betterAnswer(this.#seen, answer);
  }

  #isUnresolved(line: number): boolean {
    const stretches = this.#document.unresolved;
    const stretch = stretches[firstIndex(stretches, ({ lastLine }) => lastLine >= line)];
    return stretch !== undefined && stretch.line <= line;
  }

  #itemAt(line: number): CheckItem | undefined {
    const items = this.#document.checklist;
    const item = items[firstIndex(items, (each) => each.line >= line)];
    return item?.line === line ? item : undefined;
  }
}

/** What a line of prose says by itself. */
function answerOf(text: string, scaffold: Scaffold): Answer {
  const markup = '-*_[<'.includes(text[0] ?? '') ? answerOfMarkup(text) : undefined;
  if (markup !== undefined) return markup;
  if (scaffold.has(text)) return 'scaffold-only';
  const hasColon = text.includes(':');
  if (hasColon && (isPrintableAscii(text) ? asciiLabel : label).test(text)) return 'scaffold-only';
  if (isPlaceholder(text)) return 'placeholder';
  const value = hasColon ? labelled.exec(text)?.[1] : undefined;
  return value && isPlaceholder(value) ? 'placeholder' : 'answered';
}

/** What a line says that is a rule, the definition of a link or a tag; undefined for others. */
function answerOfMarkup(text: string): Answer | undefined {
  if (/^(?:(?:[-*_]\s*){3,}|\[[^\]]{1,300}\]:\s*\S+)$/.test(text)) return 'empty';
  if (/^<(?:img|video|iframe)\b/i.test(text)) return 'answered';
  // A tag alone shows nothing; `<words>` is a gap to fill.
  if (!/^<\/?[a-z][^<>]*>$/i.test(text)) return undefined;
  return /^<\/?(?:details|summary|br|p|div|table|hr)\b/i.test(text) ? 'empty' : 'placeholder';
}

function isPlaceholder(text: string): boolean {
  return placeholderStarts.includes(text[0] ?? '') && placeholder.test(text);
}
