/** Neither vowels nor digits that read like letters, so that no hash spells a word. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/**
 * Short name for a pod template: equal templates have equal hashes. `collisions`
 * gives another one when an object of that name is in the way.
 */
export function templateHash(template: unknown, collisions = 0): string {
  let hash = hashOf(template);
  if (collisions > 0) hash = fnv1a(String(collisions), hash);
  return [...String(hash)].map((digit) => alphabet[digit.charCodeAt(0) % alphabet.length]).join('');
}

/** Of templates that stay as they are: controllers ask again and again. */
const hashes = new WeakMap<object, number>();

function hashOf(template: unknown): number {
  const isLasting = typeof template === 'object' && template !== null && Object.isFrozen(template);
  const known = isLasting ? hashes.get(template) : undefined;
  if (known !== undefined) return known;
  const hash = fnv1a(canonicalJson(template));
  if (isLasting) hashes.set(template, hash);
  return hash;
}

function fnv1a(text: string, seed = 0x811c9dc5): number {
  let hash = seed;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

/** JSON with the keys of every object sorted: equal values give equal text. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  let text = '';
  if (Array.isArray(value)) {
    for (const element of value) text += `${text === '' ? '' : ','}${canonicalJson(element)}`;
    return `[${text}]`;
  }
  for (const name of Object.keys(value).sort()) {
    const field = (value as Record<string, unknown>)[name];
    if (field !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${canonicalJson(field)}`;
  }
  return `{${text}}`;
}
