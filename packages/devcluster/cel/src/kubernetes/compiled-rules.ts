import type { Resumable } from '@slipway/api-machinery/event-loop/resumable';
import { runInSlices } from '@slipway/api-machinery/event-loop/run-in-slices';
import { yieldToEventLoop } from '@slipway/api-machinery/event-loop/yield-to-event-loop';
import { itemSchema, type JsonSchema, valueSchema } from '@slipway/api-machinery/schema/json-schema';
import type { Shape } from '../values/shape.js';
import { type CompiledExpression, compileMessage, compileRule, type Rule, ruleOf } from './compile-rule.js';
import { shapeOf } from './schema-shape.js';

/** A rule whose expressions are compiled on first use. */
export interface CompiledRule extends Rule {
  /** A text says why there is none. */
  readonly expression: CompiledExpression | string;
  /** What makes the message; undefined when the rule has a plain one, or cannot be compiled itself. */
  readonly messageProgram: CompiledExpression | string | undefined;
}

/** So many rules compile in some ten milliseconds at most. */
const rulesPerSlice = 32;
/** So many schemas are searched for rules in a few milliseconds. */
const schemasPerSlice = 2_000;

const known = { root: new WeakMap<JsonSchema, CompiledRules>(), inner: new WeakMap<JsonSchema, CompiledRules>() };
type CompiledRules = readonly CompiledRule[];

/** The rules that stand at a schema, each compiled at most once; none where the schema says too little for rules. */
export function compiledRules(schema: JsonSchema, isRoot: boolean): CompiledRules {
  const given = schema['x-kubernetes-validations'] ?? [];
  if (given.length === 0) return [];
  const cache = isRoot ? known.root : known.inner;
  let rules = cache.get(schema);
  if (!rules) {
    const shape = shapeOf(schema, isRoot);
    rules = shape ? given.map((one) => lazyRule(ruleOf(one), shape)) : [];
    cache.set(schema, rules);
  }
  return rules;
}

/**
 * Compiles all rules of a definition's schemas, yielding to the event loop in between: thousands would block it
 * for too long. Undefined when there are so few that they can be compiled on first use.
 */
export function compileInSlices(schemas: readonly JsonSchema[]): Promise<void> | undefined {
  const search = findRules(schemas);
  for (let at = 0; at < schemasPerSlice; at++) {
    const step = search.next();
    if (step.done) return compileMany(step.value);
  }
  return runInSlices(search).then(compileMany);
}

function compileMany(places: readonly RulesPlace[]): Promise<void> | undefined {
  const count = places.reduce((sum, { schema }) => sum + (schema['x-kubernetes-validations']?.length ?? 0), 0);
  return count <= rulesPerSlice ? undefined : compileAll(places);
}

interface RulesPlace {
  readonly schema: JsonSchema;
  readonly isRoot: boolean;
}

async function compileAll(places: readonly RulesPlace[]): Promise<void> {
  let compiled = 0;
  for (const place of places) {
    for (const rule of rulesOf(place)) {
      // Reading them is what compiles them.
      void [rule.expression, rule.messageProgram];
      if (++compiled % rulesPerSlice === 0) await yieldToEventLoop();
    }
  }
}

/** Empty for an invalid schema, whose problems its validation reports. */
function rulesOf({ schema, isRoot }: RulesPlace): CompiledRules {
  try {
    return compiledRules(schema, isRoot);
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) return [];
    throw error;
  }
}

function* findRules(schemas: readonly JsonSchema[]): Resumable<readonly RulesPlace[]> {
  const found: RulesPlace[] = [];
  const left = schemas.map((schema) => ({ schema, isRoot: true })).reverse();
  for (let place = left.pop(); place; place = left.pop()) {
    const { schema } = place;
    if ((schema['x-kubernetes-validations']?.length ?? 0) > 0) found.push(place);
    for (const inner of [itemSchema(schema), valueSchema(schema), ...Object.values(schema.properties ?? {})]) {
      if (inner) left.push({ schema: inner, isRoot: false });
    }
    yield;
  }
  return found;
}

function lazyRule(rule: Rule, shape: Shape): CompiledRule {
  let expression: CompiledExpression | string | undefined;
  let messageProgram: CompiledExpression | string | undefined;
  return {
    ...rule,
    get expression() {
      expression ??= compileRule(rule, shape);
      return expression;
    },
    get messageProgram() {
      if (rule.messageExpression !== '' && typeof this.expression !== 'string')
        messageProgram ??= compileMessage(rule, shape);
      return messageProgram;
    },
  };
}
