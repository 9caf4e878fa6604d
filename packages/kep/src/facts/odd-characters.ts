import type { KepDocument } from '../document/document.js';
import { rememberingLast } from '../document/remember.js';
import type { KepFacts } from './rule.js';

/** What a reader cannot see, and what every text holds that was read in the wrong encoding. */
const odd = /[\u00AD\u200B\u2060\u202A-\u202E\u2066-\u2069\uFEFFÂÃâð]/;
/** Stretches without ASCII, which are few, are found in a third of the time that all characters take. */
const beyondAscii = /[\u0080-\uffff]+/g;

/** Whether it is worth to look for invisible or wrongly decoded characters; one search for the rules that do. */
export function hasOddCharacters({ document, source }: Pick<KepFacts, 'document' | 'source'>): boolean {
  // Where every character took one byte, none of them is odd.
  if (!document || source?.bytes === document.text.length) return false;
  return holdsOdd(document);
}

const holdsOdd = rememberingLast(({ text }: KepDocument): boolean => {
  beyondAscii.lastIndex = 0;
  for (let found = beyondAscii.exec(text); found; found = beyondAscii.exec(text)) if (odd.test(found[0])) return true;
  return false;
});
