import { type FieldError, forbidden, invalid } from '@slipway/api-machinery/errors/field-error';
import type { Resumable } from '@slipway/api-machinery/event-loop/resumable';
import type { JsonSchema } from '@slipway/api-machinery/schema/json-schema';
import type { Rule } from './compile-rule.js';
import { type CompiledRule, compiledRules } from './compiled-rules.js';
import { maxRequestBytes, shapeOf } from './schema-shape.js';

/** Units that one rule of a definition may cost, for all the values of an object that it is asked about. */
const maxPerRule = 10_000_000;
/** Units that all rules of a version may cost together. */
const maxPerDefinition = 100_000_000;

/** Where in a schema a rule stands, for the questions that only its surroundings answer. */
export interface RulePlace {
  readonly isRoot: boolean;
  /** How many values of an object the rule is asked about; undefined when nothing bounds it. */
  readonly count: number | undefined;
  /** The list or map whose elements cannot be told which was which before. */
  readonly uncorrelatable?: string;
  readonly findings: Findings;
}

/** What is found out about the rules of one schema. Every place in it has the same. */
export interface Findings {
  readonly errors: FieldError[];
  /** What all rules cost together. */
  units: number;
  /** The costliest, first. */
  readonly costliest: { readonly path: string; readonly units: number }[];
}

/** The place of the schema of an object. */
export function rootPlace(): RulePlace {
  return { isRoot: true, count: 1, findings: { errors: [], units: 0, costliest: [] } };
}

/** The place of a property; values of an atomic map are not told apart. */
export function propertyPlace(place: RulePlace, schema: JsonSchema, path: string): RulePlace {
  const isAtomic = schema['x-kubernetes-map-type'] === 'atomic';
  return { ...place, isRoot: false, ...(isAtomic && { uncorrelatable: place.uncorrelatable ?? path }) };
}

/** The place of the values of a map. */
export function valuePlace(place: RulePlace, schema: JsonSchema, path: string): RulePlace {
  return { ...propertyPlace(place, schema, path), count: times(place.count, schema.maxProperties) };
}

/** The place of the elements of a list; only those of lists with keys are told apart. */
export function itemPlace(place: RulePlace, schema: JsonSchema, path: string): RulePlace {
  const isKeyed = schema['x-kubernetes-list-type'] === 'map';
  return {
    ...place,
    isRoot: false,
    count: times(place.count, schema.maxItems),
    ...(!isKeyed && { uncorrelatable: place.uncorrelatable ?? path }),
  };
}

function times(count: number | undefined, most: number | undefined): number | undefined {
  return count === undefined || most === undefined ? undefined : count * most;
}

/** Finds out what is wrong with the expressions of the rules of one schema, and what they cost. */
export function* validateExpressions(schema: JsonSchema, path: string, place: RulePlace): Resumable<void> {
  const compiled = compiledRules(schema, place.isRoot);
  for (const index of (schema['x-kubernetes-validations'] ?? []).keys()) {
    const found = validateRule(compiled[index], schema, `${path}.x-kubernetes-validations[${index}]`, place);
    place.findings.errors.push(...found);
    yield;
  }
}

function validateRule(
  rule: CompiledRule | undefined,
  schema: JsonSchema,
  path: string,
  place: RulePlace,
): FieldError[] {
  const shape = shapeOf(schema, place.isRoot);
  if (!shape || !rule) {
    return [
      { type: 'InternalError', field: `${path}.rule`, detail: 'failed to construct type information for the schema' },
    ];
  }
  const count = place.count ?? Math.trunc(maxRequestBytes / (shape.minBytes + 1));
  const compiled = rule.expression;
  const errors: FieldError[] = [];
  const field = `${path}.rule`;
  if (typeof compiled === 'string') errors.push(invalid(field, shown(rule), compiled));
  else errors.push(...observe(field, 'rule', compiled.cost * count, place.findings));

  const message = rule.messageProgram;
  if (message !== undefined) {
    const where = `${path}.messageExpression`;
    if (typeof message === 'string') errors.push(invalid(where, shown(rule), message));
    else errors.push(...observe(where, 'messageExpression', message.cost, place.findings));
  }
  const usesOldSelf = typeof compiled !== 'string' && compiled.usesOldSelf;
  if (usesOldSelf && place.uncorrelatable !== undefined) {
    const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.uncorrelatable}`;
    errors.push(invalid(field, rule.rule, detail));
  }
  if (!usesOldSelf && rule.optionalOldSelf !== undefined) {
    const detail = 'may not be set if oldSelf is not used in rule';
    errors.push(invalid(`${path}.optionalOldSelf`, rule.optionalOldSelf, detail));
  }
  return errors;
}

/** A rule as messages of the API server show it. */
function shown(rule: Rule): object {
  return {
    Rule: rule.rule,
    Message: rule.message,
    MessageExpression: rule.messageExpression,
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath,
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  };
}

function observe(path: string, what: string, units: number, findings: Findings): FieldError[] {
  findings.units += units;
  const { costliest } = findings;
  if (units < maxPerDefinition / 100) return [];
  const at = costliest.findIndex((other) => other.units < units);
  costliest.splice(at < 0 ? costliest.length : at, 0, { path, units });
  if (costliest.length > 4) costliest.pop();
  return units > maxPerRule ? [forbidden(path, tooCostly(`estimated ${what} cost`, units / maxPerRule))] : [];
}

/** Validates the total cost of all the rules of a schema. @param path of the schema */
export function validateTotalCost({ units, costliest }: Findings, path: string): FieldError[] {
  if (units <= maxPerDefinition) return [];
  const detail = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
  const what = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
  return [
    ...costliest.map((rule) => forbidden(rule.path, detail)),
    forbidden(path, tooCostly(what, units / maxPerDefinition)),
  ];
}

function tooCostly(what: string, factor: number): string {
  const shown = factor > 100 ? 'more than 100' : factor < 1.5 ? factor.toFixed(6) : factor.toFixed(1);
  return (
    `${what} exceeds budget by factor of ${shown}x (try simplifying the rule, or adding maxItems, maxProperties, ` +
    'and maxLength where arrays, maps, and strings are declared)'
  );
}
