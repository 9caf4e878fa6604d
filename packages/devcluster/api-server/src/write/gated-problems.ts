import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import type { KubeObject } from '@slipway/kube';
import type { Core } from '../core/core.js';
import type { ResourceDefinition } from '../registry/resource-definition.js';

/** Returns the errors of the rules that depend on gates. */
export function gatedProblems(
  { isEnabled }: Pick<Core, 'isEnabled'>,
  { gatedRules = {} }: ResourceDefinition,
  object: KubeObject,
  old?: KubeObject,
): readonly FieldError[] {
  return Object.entries(gatedRules).flatMap(([gate, rule]) => rule(object, isEnabled(gate), old));
}
