import type { Resumable } from '@slipway/api-machinery/event-loop/resumable';
import type { KubeObject } from '@slipway/kube';
import type { Call } from '../core/core.js';
import type { ResourceDefinition } from '../registry/resource-definition.js';

/** Yields the warnings about an accepted object, besides those about the request. */
export function* objectWarnings(
  { definition, subresource }: Pick<Call, 'definition' | 'subresource'>,
  object: KubeObject,
  old?: KubeObject,
): Resumable<readonly string[]> {
  // Subresources of built-in kinds leave alone what their warnings are about.
  const isAbout = definition.origin === 'custom' || subresource === '';
  const ofKind = definition.warnings && isAbout ? yield* definition.warnings(object, old) : [];
  return [...finalizerWarnings(definition, object, old), ...ofKind];
}

const known = ['orphan', 'foregroundDeletion', 'kubernetes'];

/** Warnings for finalizers that a custom object gains and that name no domain. */
function finalizerWarnings(definition: ResourceDefinition, object: KubeObject, old?: KubeObject): string[] {
  const { finalizers } = object.metadata;
  if (definition.origin !== 'custom' || !Array.isArray(finalizers)) return [];
  const before = old?.metadata.finalizers ?? [];
  return finalizers
    .filter((name) => !name.includes('/') && !known.includes(name) && !before.includes(name))
    .map(
      (name) =>
        `metadata.finalizers: ${JSON.stringify(name)}: prefer a domain-qualified finalizer name to avoid accidental ` +
        'conflicts with other finalizer writers',
    );
}
