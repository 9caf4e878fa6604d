import type { Span } from './lines.js';

/** One thing wrong with a directive; ids as in `docs/reference/rules/`. */
export interface DirectiveProblem extends Span {
  readonly id: 'KEP-D01' | 'KEP-D02' | 'KEP-D03' | 'KEP-D04' | 'KEP-D12';
  readonly message: string;
}

/** What a template says about the heading above it. */
export interface Directive extends Span {
  readonly required: boolean | undefined;
  /** As it is written: the kind of document says which stages there are. */
  readonly stage: string | undefined;
  /** Minor version (`37` for `v1.37`) from which on it counts. */
  readonly since: number | undefined;
  readonly id: string | undefined;
  readonly aliases: readonly string[];
  readonly kind: string | undefined;
  readonly when: string | undefined;
  readonly problems: readonly DirectiveProblem[];
}

const opening = /^<!--\s*DIRECTIVE\s*:/i;
const malformedClose = /(?:--!>|->|>)\s*$/;
const pairPattern = /\s*([a-z][a-z0-9-]*)\s*:\s*("[^"]*"|[^,"]*)\s*(?:,|$)/iy;
const kinds = new Set(['section', 'question', 'yesno', 'list', 'checklist', 'explain']);
const traits = new Set(['gate', 'api', 'node', 'out-of-tree']);

/** Whether a comment is meant as a directive. */
export function isDirective(comment: string): boolean {
  return opening.test(comment);
}

/**
 * The end of a directive that starts at `at` and closes with `--!>`, `->` or `>`
 * on its own line; undefined for comments that are no directive or close as they should.
 */
export function closesTolerantly(text: string, at: number, lineEnd: number): number | undefined {
  const line = text.slice(at, Math.min(lineEnd, at + 2_000));
  if (!opening.test(line) || line.includes('-->')) return undefined;
  const close = malformedClose.exec(line);
  return close ? at + line.trimEnd().length : undefined;
}

/** Reads a directive, whatever is wrong with it. `text` is the comment with its marks; `at` its offset. */
export function parseDirective(text: string, at: number): Directive {
  const problems: DirectiveProblem[] = [];
  const span = { start: at, end: at + text.length };
  const problem = (id: DirectiveProblem['id'], message: string) => problems.push({ ...span, id, message });

  const body = text
    .replace(opening, '')
    .replace(/(?:-->|--!>|->|>)\s*$/, '')
    .trim();
  if (!text.trimEnd().endsWith('-->')) {
    problem(
      'KEP-D01',
      'the directive does not end with "-->", so a Markdown reader hides everything up to the next "-->"',
    );
  }

  const values = new Map<string, string[]>();
  pairPattern.lastIndex = 0;
  while (pairPattern.lastIndex < body.length) {
    const from = pairPattern.lastIndex;
    const pair = pairPattern.exec(body);
    if (!pair) {
      problem('KEP-D03', `"${body.slice(from).trim()}" is no "key: value"`);
      break;
    }
    const key = (pair[1] ?? '').toLowerCase();
    const value = (pair[2] ?? '').trim().replace(/^"(.*)"$/, '$1');
    values.set(key, [...(values.get(key) ?? []), value]);
  }

  const known = new Set(['required', 'stage', 'since', 'id', 'alias', 'kind', 'when']);
  for (const key of values.keys()) if (!known.has(key)) problem('KEP-D02', `unknown key "${key}"`);
  const first = (key: string) => values.get(key)?.[0];
  const oneOf = (key: string, allowed: ReadonlySet<string>) => {
    const value = first(key)?.toLowerCase();
    if (value === undefined || allowed.has(value)) return value;
    problem('KEP-D03', `"${key}: ${value}": want one of ${[...allowed].join(', ')}`);
    return undefined;
  };

  const requiredText = oneOf('required', new Set(['true', 'false']));
  if (!values.has('required')) problem('KEP-D04', 'the directive does not say "required: true" or "required: false"');
  const stage = first('stage');
  const sinceText = first('since');
  const since = /^v?1\.(\d{1,3})$/.exec(sinceText ?? '')?.[1];
  if (sinceText !== undefined && since === undefined) problem('KEP-D03', `"since: ${sinceText}": want v1.NN`);
  if (stage && requiredText === 'false') problem('KEP-D12', 'a stage without "required: true" asks for nothing');
  return {
    ...span,
    required: requiredText === undefined ? undefined : requiredText === 'true',
    stage,
    since: since === undefined ? undefined : Number(since),
    id: first('id'),
    aliases: values.get('alias') ?? [],
    kind: oneOf('kind', kinds),
    when: oneOf('when', traits),
    problems,
  };
}
