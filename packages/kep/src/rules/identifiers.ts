/** What stands for "there is none" in a field. */
const nothing = /^(?:n\/?a|none|no|-|tbd|todo|\?|not applicable|<.*>)\W*$/i;

/** Names of gates in a text: UpperCamel words, those in code first. */
export function gateNames(text: string): readonly string[] {
  if (nothing.test(text.trim())) return [];
  const inCode = [...text.matchAll(/`([A-Za-z][A-Za-z0-9]{3,80})(?:=[a-z]+)?`/g)].map((match) => match[1] ?? '');
  const camel = inCode.filter(isGateName);
  if (camel.length > 0) return [...new Set(camel)];
  const words = text.match(/\b[A-Za-z][A-Za-z0-9]{3,80}\b/g) ?? [];
  return [...new Set(words.filter((word) => isGateName(word) && /[a-z][A-Z]/.test(word)))];
}

/** `NodeBalloons`, `CSIMigration`. */
export function isGateName(text: string): boolean {
  return /^[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*$/.test(text);
}

/** Names of metrics in a text: snake case with at least two underscores, or in code with one. */
export function metricNames(text: string): readonly string[] {
  if (nothing.test(text.trim())) return [];
  const found = text.match(/(?<![\w/.-])[a-z][a-z0-9]*(?:_[a-z0-9]+){2,}(?![\w/-])/g) ?? [];
  return [...new Set(found)];
}

/** The part of a metric selector that names the family: no labels, no `_bucket`, no component before a slash. */
export function metricFamily(selector: string): string | undefined {
  const name =
    /^\s*"?(?:[a-z][a-z0-9-]*\/)?([a-zA-Z_:][a-zA-Z0-9_:]*)\s*(?:[{[][^}\]]*[}\]])?\s*(?:[-(#].*)?"?\s*$/.exec(
      selector,
    )?.[1];
  return name?.replace(/_(?:bucket|sum|count)$/, '');
}

/** Whether a value says that there is none. */
export function saysNothing(text: string): boolean {
  return text.trim() === '' || nothing.test(text.trim());
}

/** The components that a text names: known ones, and words that look like binaries. */
export function componentNames(text: string, known: ReadonlySet<string>): readonly string[] {
  const words = text.toLowerCase().match(/[a-z][a-z0-9]*(?:-[a-z0-9]+)*/g) ?? [];
  return [...new Set(words.filter((word) => known.has(word)))];
}
