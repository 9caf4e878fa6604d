import { invalidBecause, oneOf, requiredOneOf } from '@slipway/api-machinery/errors/field-checks';
import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import { duplicate, forbidden, invalid, notSupported, required } from '@slipway/api-machinery/errors/field-error';
import {
  dns1035Problems,
  pathSegmentProblems,
  qualifiedNameProblems,
  subdomainProblems,
} from '@slipway/api-machinery/errors/names';
import { repeatsIn } from '@slipway/api-machinery/errors/repeats';
import type { MatchResources, Rule } from '@slipway/kube-objects/kinds/admission-matching';
import type { ParamRef, PolicySpec } from '@slipway/kube-objects/kinds/admission-policy';
import { validateLabelSelector } from './selector-validation.js';

export const matchPolicies = ['Equivalent', 'Exact'];
const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const scopes = ['*', 'Cluster', 'Namespaced'];
export const failurePolicies = ['Fail', 'Ignore'];
export const reinvocationPolicies = ['IfNeeded', 'Never'];
const mutatingOperations = ['*', 'CONNECT', 'CREATE', 'UPDATE'];

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Which requests are meant, unless the writer says so: those of every namespace and scope, in any version. */
export function defaultMatchResources(match: Writable<MatchResources> | undefined): void {
  if (!match) return;
  match.matchPolicy ??= 'Equivalent';
  match.namespaceSelector ??= {};
  match.objectSelector ??= {};
  for (const rule of [...(match.resourceRules ?? []), ...(match.excludeResourceRules ?? [])]) defaultRule(rule);
}

export function defaultRule(rule: Writable<Rule>): void {
  rule.scope ??= '*';
}

export function validateMatchResources(match: MatchResources, field: string): FieldError[] {
  const { matchPolicy, namespaceSelector, objectSelector, resourceRules = [], excludeResourceRules = [] } = match;
  return [
    ...requiredOneOf(`${field}.matchPolicy`, matchPolicy, matchPolicies),
    ...selectorProblems(namespaceSelector, `${field}.namespaceSelector`),
    ...selectorProblems(objectSelector, `${field}.objectSelector`),
    ...resourceRules.flatMap((rule, index) => validateNamedRule(rule, `${field}.resourceRules[${index}]`)),
    ...excludeResourceRules.flatMap((rule, index) =>
      validateNamedRule(rule, `${field}.excludeResourceRules[${index}]`),
    ),
  ];
}

/** The match constraints that a policy must have, with at least one rule in them. */
export function validateMatchConstraints(match: MatchResources | undefined, field: string): FieldError[] {
  if (!match) return [required(field)];
  const errors = validateMatchResources(match, field);
  return (match.resourceRules ?? []).length > 0 ? errors : [...errors, required(`${field}.resourceRules`)];
}

/** There is nothing to change about a delete. */
export function mutatingOperationProblems(match: MatchResources | undefined, field: string): FieldError[] {
  const given = (match?.resourceRules ?? []).flatMap((rule) => rule.operations ?? []);
  return given
    .filter((operation) => !mutatingOperations.includes(operation))
    .map((operation) => notSupported(`${field}.resourceRules.operations`, operation, mutatingOperations));
}

function selectorProblems(selector: MatchResources['objectSelector'], field: string): FieldError[] {
  return selector ? validateLabelSelector(selector, field) : [required(field)];
}

function validateNamedRule(rule: Rule, field: string): FieldError[] {
  const names = rule.resourceNames ?? [];
  const isTwice = repeatsIn(names);
  return [
    ...names.flatMap((name, index) => [
      ...invalidBecause(`${field}.resourceNames[${index}]`, name, pathSegmentProblems(name)),
      ...(isTwice(index) ? [duplicate(`${field}.resourceNames[${index}]`, name)] : []),
    ]),
    ...validateRule(rule, field),
  ];
}

export function validateRule(rule: Rule, field: string): FieldError[] {
  const { operations: given = [], apiGroups = [], apiVersions = [], resources = [], scope } = rule;
  return [
    ...(given.length === 0 ? [required(`${field}.operations`)] : []),
    ...aloneIfAll(given, `${field}.operations`, 'operations'),
    ...given.flatMap((one, index) => oneOf(`${field}.operations[${index}]`, one, operations)),
    ...(apiGroups.length === 0 ? [required(`${field}.apiGroups`)] : []),
    ...aloneIfAll(apiGroups, `${field}.apiGroups`, 'API groups'),
    ...(apiVersions.length === 0 ? [required(`${field}.apiVersions`)] : []),
    ...aloneIfAll(apiVersions, `${field}.apiVersions`, 'API versions'),
    ...apiVersions.flatMap((version, index) => (version === '' ? [required(`${field}.apiVersions[${index}]`)] : [])),
    ...validateResources(resources, `${field}.resources`),
    ...oneOf(`${field}.scope`, scope, scopes),
  ];
}

function aloneIfAll(values: readonly string[], field: string, what: string): FieldError[] {
  if (values.length < 2 || !values.includes('*')) return [];
  return [invalid(field, values, `if '*' is present, must not specify other ${what}`)];
}

/** A resource that another entry covers by a `*` must not come after it. */
function validateResources(resources: readonly string[], field: string): FieldError[] {
  if (resources.length === 0) return [required(field)];
  const errors: FieldError[] = [];
  const before = new Set<string>();
  for (const [index, path] of resources.entries()) {
    const at = `${field}[${index}]`;
    if (path === '') errors.push(required(at));
    const [resource = '', part] = path.split(/\/(.*)/);
    if (part === undefined) continue;
    for (const wide of [`${resource}/*`, `*/${part}`]) {
      if (before.has(wide)) errors.push(invalid(at, path, `if '${wide}' is present, must not specify ${path}`));
    }
    before.add(path);
  }
  if (resources.length > 1 && resources.includes('*/*')) {
    errors.push(invalid(field, resources, "if '*/*' is present, must not specify other resources"));
  }
  const objects = resources.filter((path) => !path.includes('/'));
  if (resources.includes('*') && objects.at(-1) !== '*') {
    const detail = "if '*' is present, must not specify other resources without subresources";
    errors.push(invalid(field, resources, detail));
  }
  return errors;
}

/** Validates the kind of a policy's parameters. */
export function validateParamKind({ apiVersion, kind }: NonNullable<PolicySpec['paramKind']>, field: string) {
  const errors = validateParamVersion(apiVersion, `${field}.apiVersion`);
  if (!kind) return [...errors, required(`${field}.kind`)];
  const problems = dns1035Problems(kind.toLowerCase());
  if (problems.length === 0) return errors;
  const detail = `may have mixed case, but should otherwise match: ${problems.join(',')}`;
  return [...errors, invalid(`${field}.kind`, kind, detail)];
}

function validateParamVersion(apiVersion: string | undefined, field: string): FieldError[] {
  if (!apiVersion) return [required(field)];
  const parts = apiVersion.split('/');
  if (parts.length > 2) return [invalid(field, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  const [group, version] = parts.length === 2 ? parts : ['', parts[0]];
  const groupProblems = group ? subdomainProblems(group) : [];
  if (!version) return [invalid(field, apiVersion, 'version must be specified')];
  const versionProblems = dns1035Problems(version);
  return [
    ...(groupProblems.length > 0 ? [invalid(field, group, groupProblems.join(','))] : []),
    ...(versionProblems.length > 0 ? [invalid(field, version, versionProblems.join(','))] : []),
  ];
}

const notFoundActions = ['Deny', 'Allow'];

/** Validates the reference of a binding to its parameters. */
export function validateParamRef(paramRef: ParamRef | undefined, field: string): FieldError[] {
  if (!paramRef) return [];
  const { name, selector, parameterNotFoundAction } = paramRef;
  const both = name && selector ? 'name and selector are mutually exclusive' : undefined;
  return [
    ...(name ? invalidBecause(`${field}.name`, name, pathSegmentProblems(name)) : []),
    ...(both ? [forbidden(`${field}.name`, both)] : []),
    ...(selector ? validateLabelSelector(selector, `${field}.selector`) : []),
    ...(both ? [forbidden(`${field}.selector`, both)] : []),
    ...(name || selector ? [] : [required(field, 'one of name or selector must be specified')]),
    ...requiredOneOf(`${field}.parameterNotFoundAction`, parameterNotFoundAction, notFoundActions),
  ];
}

/** The name of the policy that a binding binds. */
export function validatePolicyName(name: string | undefined, field: string): FieldError[] {
  return name ? invalidBecause(field, name, subdomainProblems(name)) : [required(field)];
}

/** Names of match conditions: keys like those of labels. */
export function conditionNameProblems(name: string | undefined, field: string): FieldError[] {
  return name ? invalidBecause(field, name, qualifiedNameProblems(name)) : [required(field)];
}
