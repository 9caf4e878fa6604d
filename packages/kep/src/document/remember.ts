/** Longer texts do not come again. */
const maxLength = 200;
const maxEntries = 4_000;

/**
 * The same function, with what it made of short texts remembered: most headings of a proposal are those of the template, and come
 * again in each. The function must be pure, and its results small.
 */
export function remembering<T>(make: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const found = text.length > maxLength ? undefined : known.get(text);
    if (found !== undefined) return found;
    const own = apart(text);
    const made = make(own);
    if (text.length <= maxLength && known.size < maxEntries) known.set(own, made);
    return made;
  };
}

/**
 * The same function, with the result for the object that it was last called with remembered: several rules need the same of one proposal.
 * A WeakMap would keep more. Collections of young objects spare what is in one, with all it refers to, although its key is gone.
 */
export function rememberingLast<K extends object, T>(make: (key: K) => T): (key: K) => T {
  let last: { readonly key: K; readonly made: T } | undefined;
  return (key) => {
    if (last?.key !== key) last = { key, made: make(key) };
    return last.made;
  };
}

/** The same text in memory of its own: a part of a document keeps all of it. */
export function apart(text: string): string {
  // A part of the new text keeps that one, which is as short.
  return ` ${text}`.slice(1);
}
