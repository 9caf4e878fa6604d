const leftOut = '(left out)';

/** Keys whose values are secrets by their name, whatever they hold. */
const secretKey =
  /pass(?:word|phrase)?$|token$|secret$|credentials?$|authorization$|api[-_]?key$|private[-_]?key$|^data$|^stringData$/i;

/** Annotations of others hold anything, as that of `kubectl apply` holds the whole object. */
const ownAnnotation = /slipway\.dev\//;

/**
 * Returns a copy of an object without what may be secret: annotations of others, values of the environment, what is named
 * like a secret, and in all texts users, passwords and queries of addresses, bearer tokens and keys in PEM.
 */
export function withoutSecrets(value: unknown, key = ''): unknown {
  if (typeof value === 'string') return secretKey.test(key) ? leftOut : withoutSecretText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (key === 'env' && Array.isArray(value))
    return value.map((variable) => ({ name: Object(variable).name, value: leftOut }));
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, key));
  if (secretKey.test(key)) return leftOut;
  const entries = Object.entries(value).flatMap(([name, content]) => {
    if (name === 'managedFields') return [];
    if (key === 'annotations' && !ownAnnotation.test(name)) return [];
    return [[name, withoutSecrets(content, name)]];
  });
  return Object.fromEntries(entries);
}

/** Returns a text without users, passwords and queries of addresses, bearer tokens, JSON Web Tokens and keys in PEM. */
export function withoutSecretText(text: string): string {
  return text
    .replace(/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, leftOut)
    .replace(/\b(https?:\/\/[^\s?"']+\?)[^\s"']+/gi, `$1${leftOut}`)
    .replace(/\b(https?:\/\/)[^\s/@"']+@/gi, `$1${leftOut}@`)
    .replace(/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${leftOut}`)
    .replace(/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, leftOut);
}
