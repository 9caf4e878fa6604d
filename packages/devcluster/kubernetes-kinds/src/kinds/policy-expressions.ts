import { duplicate, type FieldError, invalid, required } from '@slipway/api-machinery/errors/field-error';
import { repeatsIn } from '@slipway/api-machinery/errors/repeats';
import { compilePolicyExpression, type Speaking } from '@slipway/cel/kubernetes/policy-variables';
import { bool, type CelType, dyn } from '@slipway/cel/values/cel-type';
import { escapedKeyword } from '@slipway/cel/values/field-names';
import type { NamedExpression, PolicySpec } from '@slipway/kube-objects/kinds/admission-policy';
import { conditionNameProblems } from './admission-rules.js';

const maxConditions = 64;

/** Validates an expression, which must have one of these types; any type if none is given. */
export function validateExpression(
  source: string,
  field: string,
  speaking: Speaking,
  types: readonly CelType[],
): FieldError[] {
  const compiled = compilePolicyExpression(source, speaking, types);
  return typeof compiled === 'string' ? [invalid(field, source, compiled)] : [];
}

/** Match conditions know no variables. */
export function validateMatchConditions(
  conditions: readonly NamedExpression[] | undefined,
  field: string,
  hasParams: boolean,
): FieldError[] {
  if (!conditions) return [];
  const speaking = { hasParams, hasAuthorizer: true };
  const isTwice = repeatsIn(conditions.map(({ name }) => name));
  return [
    ...(conditions.length > maxConditions ? [tooMany(field, conditions.length)] : []),
    ...conditions.flatMap(({ name, expression }, index) => [
      ...validateGiven(expression ?? '', `${field}[${index}].expression`, speaking, bool),
      ...conditionNameProblems(name, `${field}[${index}].name`),
      ...(name && isTwice(index) ? [duplicate(`${field}[${index}].name`, name)] : []),
    ]),
  ];
}

function tooMany(field: string, count: number): FieldError {
  return { type: 'TooMany', field, value: count, detail: `must have at most ${maxConditions} items` };
}

/** Validates an expression that must be given, and give one of those types. */
export function validateGiven(expression: string, field: string, speaking: Speaking, ...types: readonly CelType[]) {
  const trimmed = expression.trim();
  return trimmed === '' ? [required(field)] : validateExpression(trimmed, field, speaking, types);
}

const identifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/;

/** Variables, each of which may use those before it. Gives what the other expressions may speak about, too. */
export function validateVariables(
  { paramKind, variables = [] }: PolicySpec,
  field: string,
): { readonly errors: readonly FieldError[]; readonly speaking: Speaking } {
  const plain = { hasParams: paramKind !== undefined, hasAuthorizer: true };
  if (variables.length === 0) return { errors: [], speaking: plain };
  const declared = new Map<string, CelType>();
  const errors: FieldError[] = [];
  for (const [index, { name = '', expression = '' }] of variables.entries()) {
    const at = `${field}[${index}]`;
    errors.push(...validateVariableName(name, `${at}.name`));
    if (expression.trim() === '') {
      errors.push(required(`${at}.expression`, 'expression is not specified'));
      continue;
    }
    const compiled = compilePolicyExpression(expression, { ...plain, declared }, []);
    if (typeof compiled === 'string') errors.push(invalid(`${at}.expression`, expression, compiled));
    declared.set(name, typeof compiled === 'string' ? dyn : compiled.type);
  }
  return { errors, speaking: { ...plain, declared } };
}

function validateVariableName(name: string, field: string): FieldError[] {
  if (name.trim() === '') return [required(field, 'name is not specified')];
  return identifier.test(name) && escapedKeyword(name) === undefined
    ? []
    : [invalid(field, name, 'must be a valid CEL identifier')];
}
