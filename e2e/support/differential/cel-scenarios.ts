import fc from 'fast-check';
import { type CelType, leaves, productions } from './cel-grammar.js';
import type { Scenario } from './scenarios.js';
import { aThing, defineThings, sendJson, things } from './things.js';

const types = Object.keys(leaves) as CelType[];

/** Texts by type that stand for values of a scenario. */
export type OwnLeaves = Partial<Record<CelType, readonly string[]>>;

/** An expression of a type, of at most so many levels; now and then a part of it has another type than it should. */
export function expressionOf(type: CelType, levels: number, own: OwnLeaves = {}): fc.Arbitrary<string> {
  const leaf = fc.constantFrom<string>(...leaves[type]);
  const mine = own[type];
  const written = mine
    ? fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...mine) }, { weight: 1, arbitrary: leaf })
    : leaf;
  if (levels === 0) return written;
  const made = fc.constantFrom(...productions[type]).chain((form) => filled(form, levels - 1, own));
  const other = fc.constantFrom(...types).chain((each) => expressionOf(each, 0, own));
  return fc.oneof(
    { weight: 20, arbitrary: written },
    { weight: 60, arbitrary: made },
    { weight: 1, arbitrary: other },
    { weight: 1, arbitrary: other.map((each) => `dyn(${each})`) },
  );
}

function filled(form: string, levels: number, own: OwnLeaves): fc.Arbitrary<string> {
  const texts = form.split(hole);
  const parts = texts.map((text, index) =>
    index % 2 === 0 ? fc.constant(text) : expressionOf(text as CelType, levels, own),
  );
  return fc.tuple(...parts).map((filledIn) => filledIn.join(''));
}

const hole = new RegExp(`\\{(${types.join('|')})\\}`);

/** Types of which most is to be known. */
const shown = fc.constantFrom<CelType>(...types, 'int', 'string', 'string', 'string', 'bool', 'bool', 'double');

/** A rule that says what an expression gives: in its message, or with the error of its evaluation. */
const ruleOf = shown.chain((type) =>
  fc
    .tuple(
      expressionOf(type, 3).chain((text) => asText(type, text)),
      fc.boolean(),
    )
    .map(([text, isRule]) => (isRule ? { rule: `${text} == 'none'` } : { rule: 'false', messageExpression: text })),
);

/** What shows a value: `string` for what it takes, parts of what it does not, and now and then a format that may not fit. */
function asText(type: CelType, text: string): fc.Arbitrary<string> {
  const format = fc.constant(`'%s'.format([${text}])`);
  const parts = shownParts[type];
  return parts
    ? fc
        .oneof({ weight: 6, arbitrary: fc.constantFrom(...parts) }, { weight: 1, arbitrary: format })
        .map((form) => form.replaceAll('{}', () => text))
    : format;
}

const plain = ['string({})'];
const shownParts: Partial<Record<CelType, readonly string[]>> = {
  int: plain,
  uint: plain,
  double: plain,
  bool: plain,
  string: ['{}', 'string({})', 'strings.quote({})'],
  bytes: plain,
  duration: plain,
  timestamp: plain,
  ip: plain,
  cidr: plain,
  quantity: ['string({}.asApproximateFloat())', 'string({}.asInteger())', 'string({}.isInteger())'],
  url: ['{}.getHost()', '{}.getEscapedPath()', "'%s'.format([{}.getQuery()])", '{}.getHostname() + {}.getPort()'],
  semver: ["'%s'.format([[{}.major(), {}.minor(), {}.patch()]])"],
  optional: ['string({}.orValue(-7))', 'string({}.hasValue())', 'string({}.value())'],
  optionalText: ["{}.orValue('none')", '{}.value()'],
  format: ["'%s'.format([{}.validate('A b').orValue([])])"],
};

/** Scenarios of a definition whose rules say what expressions give, and an object that they are evaluated for. */
export const expressionScenario: fc.Arbitrary<Scenario> = fc
  .array(ruleOf, { minLength: 4, maxLength: 4 })
  .map((rules) => {
    const fields = rules.map(
      (rule, index) =>
        [
          `e${index}`,
          { type: 'string', maxLength: 1, 'x-kubernetes-validations': [{ message: 'none', ...rule }] },
        ] as const,
    );
    const object = aThing(Object.fromEntries(fields.map(([name]) => [name, 'v'])));
    return { kind: 'CEL', steps: [defineThings(Object.fromEntries(fields)), sendJson('POST', things, object)] };
  });
