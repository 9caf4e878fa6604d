import { isLetter } from '../document/line-marks.js';
import type { Span } from '../document/lines.js';

/** What stands for "there is none" in a field. */
const nothing = /^(?:n\/?a|none|no|-|tbd|todo|\?|not applicable|<.*>)\W*$/i;

/** Names of gates in a text: UpperCamel words, those in code first. */
export function gateNames(text: string): readonly string[] {
  if (nothing.test(text.trim())) return [];
  const inCode = [...text.matchAll(/`([A-Za-z][A-Za-z0-9_]{3,80})(?:=[a-z]+)?`/g)].map((match) => match[1] ?? '');
  const camel = inCode.filter(isGateName);
  if (camel.length > 0) return [...new Set(camel)];
  const words = text.match(/\b[A-Za-z][A-Za-z0-9_]{3,80}\b/g) ?? [];
  return [...new Set(words.filter((word) => isGateName(word) && /[a-z][A-Z]|_/.test(word)))];
}

/** `NodeBalloons`, `CSIMigration`; gates of kubectl are environment variables, `KUBECTL_KYAML`. */
export function isGateName(text: string): boolean {
  return /^(?:[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*|KUBECTL_[A-Z0-9_]+)$/.test(text);
}

/** Names of metrics in a text: snake case with at least two underscores, or in code with one. */
export function metricNames(text: string): readonly string[] {
  if (nothing.test(text.trim())) return [];
  const found = new Set<string>();
  for (const { start, end } of underscoredWords(text)) {
    // What stands on both sides decides, too.
    const around = text.slice(Math.max(0, start - 1), end + 1);
    for (const name of around.match(/(?<![\w/.-])[a-z][a-z0-9]*(?:_[a-z0-9]+){2,}(?![\w/-])/g) ?? []) found.add(name);
  }
  return [...found];
}

/** The words of letters of ASCII, digits, colons and underscores that have an underscore: the whole name of a metric is one. */
export function underscoredWords(text: string): readonly Span[] {
  const found: Span[] = [];
  for (let at = text.indexOf('_'), end = 0; at >= 0; at = text.indexOf('_', end)) {
    let start = at;
    while (start > end && isWordPart(text.charCodeAt(start - 1))) start--;
    end = at + 1;
    while (end < text.length && isWordPart(text.charCodeAt(end))) end++;
    found.push({ start, end });
  }
  return found;
}

function isWordPart(code: number): boolean {
  return isLetter(code) || (code >= 48 && code <= 58) || code === 95;
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

/** How people write the components of the control plane. */
const otherNames: readonly [RegExp, string][] = [
  [/\b(?:kube[- ]?)?api[- ]?server\b/g, 'kube-apiserver'],
  [/\b(?:kube[- ]?)?controller[- ]?manager\b|\bkcm\b/g, 'kube-controller-manager'],
  [/\b(?:kube[- ]?)?scheduler\b/g, 'kube-scheduler'],
  [/\bkube[- ]?proxy\b/g, 'kube-proxy'],
];

/** The components that a text names: known ones, also under other names that people have for them. */
export function componentNames(text: string, known: ReadonlySet<string>): readonly string[] {
  const lower = text.toLowerCase();
  const words = lower.match(/[a-z][a-z0-9]*(?:-[a-z0-9]+)*/g) ?? [];
  const others = otherNames.flatMap(([form, name]) => {
    // "cloud-controller-manager" is another component.
    const found = [...lower.matchAll(form)].some(({ index }) => !/[\w-]/.test(lower[index - 1] ?? ''));
    return found ? [name] : [];
  });
  return [...new Set([...words, ...others])].filter((word) => known.has(word));
}
