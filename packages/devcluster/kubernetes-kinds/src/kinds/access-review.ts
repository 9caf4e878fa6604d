import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import { invalid } from '@slipway/api-machinery/errors/field-error';
import type { Access, Authorizer } from '@slipway/api-machinery/identity/access';
import type { User } from '@slipway/api-machinery/identity/user';
import type { KubeObject } from '@slipway/kube';

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
    readonly fieldSelector?: { readonly rawSelector?: string; readonly requirements?: readonly Requirement[] };
  };
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string };
}

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** Validates the part of an access review that names the action. */
export function validateAccess({ resourceAttributes, nonResourceAttributes }: Spec): FieldError[] {
  if (resourceAttributes && nonResourceAttributes) {
    const detail = 'cannot be specified in combination with resourceAttributes';
    return [invalid('spec.nonResourceAttributes', nonResourceAttributes, detail)];
  }
  if (resourceAttributes || nonResourceAttributes) return [];
  const detail = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  return [invalid('spec.resourceAttributes', null, detail)];
}

/** Reviews have no name, no labels, nothing that objects have that stay. */
export function validateBare({ metadata }: KubeObject, ...allowed: readonly string[]): FieldError[] {
  const given = Object.entries(metadata).filter(([field, value]) => value && !allowed.includes(field));
  return given.length === 0 ? [] : [invalid('metadata', metadata, 'must be empty')];
}

/** The review with its verdict. */
export function reviewed(review: KubeObject, user: User, authorizer: Authorizer): KubeObject {
  const { allowed, reason } = authorizer.authorize(user, accessOf(review.spec));
  return { ...review, status: { allowed, ...(reason === '' ? {} : { reason }) } };
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
