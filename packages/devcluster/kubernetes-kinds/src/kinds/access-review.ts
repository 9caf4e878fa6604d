import { type FieldError, invalid, required } from '@slipway/api-machinery/errors/field-error';
import type { Access, Authorizer } from '@slipway/api-machinery/identity/access';
import type { User } from '@slipway/api-machinery/identity/user';
import { type KubeObject, parseFieldSelector, parseLabelSelector, SelectorError } from '@slipway/kube';
import { validateRequirement, validateValues } from './selector-validation.js';

export const authorizationGroup = 'authorization.k8s.io';

interface Spec {
  readonly resourceAttributes?: {
    readonly namespace?: string;
    readonly verb?: string;
    readonly group?: string;
    readonly version?: string;
    readonly resource?: string;
    readonly subresource?: string;
    readonly name?: string;
    readonly fieldSelector?: Selector;
    readonly labelSelector?: Selector;
  };
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string };
}

interface Selector {
  readonly rawSelector?: string;
  readonly requirements?: readonly Requirement[];
}

interface Requirement {
  readonly key?: string;
  readonly operator?: string;
  readonly values?: readonly string[];
}

/** Validates whether a review names one action. */
export function validateOneAction({ resourceAttributes, nonResourceAttributes }: Spec): FieldError[] {
  if (Boolean(resourceAttributes) !== Boolean(nonResourceAttributes)) return [];
  const detail = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  return [invalid('spec', nonResourceAttributes ? shownPath(nonResourceAttributes) : null, detail)];
}

/** A path and its verb as Kubernetes prints them: by the names of its fields in Go. */
export function shownPath({ path = '', verb = '' }: NonNullable<Spec['nonResourceAttributes']>): unknown {
  return { Path: path, Verb: verb };
}

/** Validates by what an action on a resource is narrowed down. */
export function validateSelectors({ resourceAttributes }: Spec): FieldError[] {
  const at = 'spec.resourceAttributes';
  return (['fieldSelector', 'labelSelector'] as const).flatMap((name) => {
    const selector = resourceAttributes?.[name];
    return selector ? validateSelector(selector, `${at}.${name}`, name === 'labelSelector') : [];
  });
}

function validateSelector(
  { rawSelector = '', requirements = [] }: Selector,
  at: string,
  isOfLabels: boolean,
): FieldError[] {
  const errors: FieldError[] = [];
  if (rawSelector !== '' && requirements.length > 0)
    errors.push(invalid(`${at}.rawSelector`, rawSelector, 'may not specified at the same time as requirements'));
  if (rawSelector === '' && requirements.length === 0)
    errors.push(required(`${at}.requirements`, `when ${at} is specified, requirements or rawSelector is required`));
  const each = isOfLabels ? validateLabelRequirement : validateFieldRequirement;
  return [...errors, ...requirements.flatMap((one, index) => each(one, `${at}.requirements[${index}]`))];
}

/** Operators that this version does not know are left to newer authorizers. */
function validateLabelRequirement({ key = '', operator = '', values = [] }: Requirement, at: string): FieldError[] {
  return validateRequirement({ key, operator, values }, at, 'allowed');
}

function validateFieldRequirement({ key = '', operator = '', values = [] }: Requirement, at: string): FieldError[] {
  const noKey = key === '' ? [required(`${at}.key`, 'must be specified')] : [];
  return [...noKey, ...validateValues({ operator, values }, at, 'allowed')];
}

/** Reviews have no name, no labels, nothing that objects have that stay. */
export function validateBare({ metadata }: KubeObject, except?: 'namespace'): FieldError[] {
  const allowed = ['managedFields', except];
  const given = Object.entries(metadata).filter(([field, value]) => value && !allowed.includes(field));
  const detail = except ? `must be empty except for ${except}` : 'must be empty';
  if (given.length === 0) return [];
  const { name, generateName, namespace, ...others } = metadata;
  const inOrder = { ...(name && { name }), ...(generateName && { generateName }), ...(namespace && { namespace }) };
  return [invalid('metadata', { ...inOrder, ...others }, detail)];
}

/** The review with its verdict. */
export function reviewed(review: KubeObject, user: User, authorizer: Authorizer): KubeObject {
  const { allowed, reason } = authorizer.authorize(user, accessOf(review.spec));
  const evaluationError = ignoredIn(review.spec).join('; ');
  const status = { allowed, ...(reason !== '' && { reason }), ...(evaluationError !== '' && { evaluationError }) };
  return { ...review, status };
}

/** Says of which selectors not all can be read. */
function ignoredIn({ resourceAttributes }: Spec): readonly string[] {
  return (['fieldSelector', 'labelSelector'] as const).flatMap((name) => {
    const { rawSelector = '', requirements = [] } = resourceAttributes?.[name] ?? {};
    const isRead = name === 'fieldSelector' ? isFieldRequirement : isLabelRequirement;
    const read = requirements.filter(isRead).length;
    const isRaw =
      rawSelector !== '' &&
      !isSelector(name === 'fieldSelector' ? parseFieldSelector : parseLabelSelector, rawSelector);
    if (!isRaw && read === requirements.length) return [];
    return [`spec.resourceAttributes.${name} ${read > 0 ? 'partially ' : ''}ignored due to parse error`];
  });
}

function isSelector(parse: (text: string) => unknown, text: string): boolean {
  try {
    parse(text);
    return true;
  } catch (error) {
    if (error instanceof SelectorError) return false;
    throw error;
  }
}

/** Selectors of fields demand one value, or another than one. */
function isFieldRequirement({ operator, values = [] }: Requirement): boolean {
  return (operator === 'In' || operator === 'NotIn') && values.length === 1;
}

function isLabelRequirement({ operator = '' }: Requirement): boolean {
  return ['In', 'NotIn', 'Exists', 'DoesNotExist'].includes(operator);
}

function accessOf({ resourceAttributes, nonResourceAttributes }: Spec): Access {
  if (!resourceAttributes) {
    const { path = '', verb = '' } = nonResourceAttributes ?? {};
    return { kind: 'path', path, verb };
  }
  const { verb = '', group = '', version = '', resource = '', subresource = '' } = resourceAttributes;
  const { namespace = '', name = '', fieldSelector } = resourceAttributes;
  const selector = fieldSelector?.rawSelector ?? equalities(fieldSelector?.requirements);
  const meant = { verb, group, version, resource, subresource, namespace, name };
  return { kind: 'resource', ...meant, ...(selector === '' ? {} : { fieldSelector: selector }) };
}

/** Field selectors of lists can only demand equality: others narrow nothing down here. */
function equalities(requirements: readonly Requirement[] = []): string {
  return requirements
    .filter(({ operator, values = [] }) => operator === 'In' && values.length === 1)
    .map(({ key, values = [] }) => `${key}=${values[0]}`)
    .join(',');
}
