import type { KepDocument } from '../document/document.js';

/** What a reader cannot see, and what every text holds that was read in the wrong encoding. */
const odd = /[\u00AD\u200B\u2060\u202A-\u202E\u2066-\u2069\uFEFFÂÃâð]/;

const cache = new WeakMap<KepDocument, boolean>();

/** Whether it is worth to look for invisible or wrongly decoded characters; one search for the rules that do. */
export function hasOddCharacters(document: KepDocument): boolean {
  const known = cache.get(document) ?? odd.test(document.text);
  cache.set(document, known);
  return known;
}
