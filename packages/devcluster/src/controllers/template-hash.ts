/** Neither vowels nor digits that read like letters, so that no hash spells a word. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/**
 * Short name for a pod template: equal templates have equal hashes. `collisions`
 * gives another one when an object of that name is in the way.
 */
export function templateHash(template: unknown, collisions = 0): string {
  let hash = fnv1a(canonicalJson(template));
  if (collisions > 0) hash = fnv1a(String(collisions), hash);
  return [...String(hash)].map((digit) => alphabet[digit.charCodeAt(0) % alphabet.length]).join('');
}

function fnv1a(text: string, seed = 0x811c9dc5): number {
  let hash = seed;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

/** JSON with the keys of every object sorted: equal values give equal text. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`);
  return `{${fields.join(',')}}`;
}
