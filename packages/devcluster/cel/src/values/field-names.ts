const reserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

/**
 * Escapes the name of a property for expressions: `x-dash` is `x__dash__dash`. Undefined for names without an escape.
 */
export function escapeField(name: string): string | undefined {
  if (!/^[A-Za-z_][A-Za-z0-9_.\-/]*$/.test(name)) return undefined;
  if (reserved.has(name)) return `__${name}__`;
  return name.replace(/__|[.\-/]/g, (found) => `__${escapes[found]}__`);
}

/**
 * Returns the escaped name of a field that an expression names by a keyword, as in `self.namespace`: from Kubernetes 1.31
 * on both are allowed.
 */
export function escapedKeyword(name: string): string | undefined {
  return reserved.has(name) ? `__${name}__` : undefined;
}

const escapes: Readonly<Record<string, string>> = { __: 'underscores', '.': 'dot', '-': 'dash', '/': 'slash' };
