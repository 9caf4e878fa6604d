import { SelectorError } from './selector-error.js';

/** One demand on a field: `spec.nodeName=n1`. */
export interface FieldRequirement {
  readonly path: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/**
 * Reads a field selector: `a=b,c!=d`; `==` is `=`. In values a backslash makes
 * `,`, `=` and itself plain. Blank text selects everything, and so does `=` alone.
 * @throws SelectorError
 */
export function parseFieldSelector(text: string): FieldRequirement[] {
  const terms = splitTerms(text).filter((term) => term !== '');
  // Servers read the terms in this order: of two mistakes one hears of the first.
  for (const term of [...terms].sort()) requirementOf(term, text);
  return terms.map((term) => requirementOf(term, text));
}

function requirementOf(term: string, text: string): FieldRequirement {
  const match = /^(.*?)(!=|==|=)(.*)$/s.exec(term);
  if (!match) throw new SelectorError(`invalid selector: '${text}'; can't understand '${term}'`);
  const [, path = '', operator, value = ''] = match;
  return { path, operator: operator === '!=' ? '!=' : '=', value: plainValue(value) };
}

/** Whether a field of an object has what is demanded; `fieldOf` answers '' for unset fields. */
export function matchesFields(requirements: readonly FieldRequirement[], fieldOf: (path: string) => string): boolean {
  return requirements.every(({ path, operator, value }) => (fieldOf(path) === value) === (operator === '='));
}

/** The text form, which `parseFieldSelector` reads. */
export function fieldSelectorToString(requirements: readonly FieldRequirement[]): string {
  return requirements
    .map(({ path, operator, value }) => `${path}${operator}${value.replace(/[\\,=]/g, '\\$&')}`)
    .join(',');
}

function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let term = '';
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === ',') {
      terms.push(term);
      term = '';
    } else if (char === '\\') {
      term += char + text.charAt(++at);
    } else {
      term += char;
    }
  }
  return [...terms, term];
}

function plainValue(value: string): string {
  let plain = '';
  for (let at = 0; at < value.length; at++) {
    const char = value.charAt(at);
    if (char !== '\\') {
      // 61 is '=': the server prints the byte.
      if (char === '=') throw new SelectorError('invalid field selector: unescaped character in value: 61');
      plain += char;
      continue;
    }
    const escaped = value.charAt(++at);
    if (escaped === '' || !'\\,='.includes(escaped)) {
      throw new SelectorError(`invalid field selector: invalid escape sequence: \\${escaped}`);
    }
    plain += escaped;
  }
  return plain;
}
