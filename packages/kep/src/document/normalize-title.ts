import { isPrintableAscii } from './printable-ascii.js';
import { remembering } from './remember.js';

const markers = /[([](?:optional|r|required)[)\]]/g;

/** Titles without anything that needs more than lower case; most are. */
const asciiWords = /^[\w ,.;:!?/&'"*+-]*$/;

/**
 * A title as it is compared: without inline marks, link targets, `(Optional)`
 * and punctuation, in lower case. Text of other scripts is kept.
 */
export const normalizeTitle = remembering((title) => {
  const short = title.length > 2_000 ? title.slice(0, 2_000) : title;
  if (asciiWords.test(short))
    return short
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, ' ')
      .trim();
  return short
    .replace(/<[^<>]{0,200}>/g, '')
    .replace(/\]\([^()]{0,500}\)/g, ']')
    .toLowerCase()
    .replace(markers, ' ')
    .replace(isPrintableAscii(short) ? /[^a-z0-9]+/g : /[^\p{L}\p{N}]+/gu, ' ')
    .trim();
});

/** Compares the words of two normalised titles: 1 for the same words, 0 for none in common. */
export function titleLikeness(words: ReadonlySet<string>, others: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of words) if (others.has(word)) shared++;
  return shared / (words.size + others.size - shared);
}
