import type { Step } from './scenarios.js';

/** Where the objects of the definition of a scenario are. */
export const things = '/apis/{ns}.dev/v1/namespaces/{ns}/things';

/** A request that creates the definition of a scenario, whose objects have these fields. */
export function defineThings(properties: Readonly<Record<string, object>>): Step {
  const openAPIV3Schema = { type: 'object', properties };
  return sendJson('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: 'things.{ns}.dev' },
    spec: {
      group: '{ns}.dev',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  });
}

/** An object of that definition. */
export function aThing(fields: object): object {
  return { apiVersion: '{ns}.dev/v1', kind: 'Thing', metadata: { name: 'a' }, ...fields };
}

export function sendJson(method: string, path: string, body: object, contentType = 'application/json'): Step {
  return { method, path, contentType, body: JSON.stringify(body) };
}
