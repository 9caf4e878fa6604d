import { admin, named, replyOf } from '@slipway/devcluster/testing/a-server';
import { ManualClock } from '@slipway/kube/testing';
import { builtInDefinitions } from '@slipway/kubernetes-kinds/kinds/catalogue';
import { memoryStore } from '@slipway/object-store/memory-store';
import type { Store } from '@slipway/object-store/store';
import { definitionController } from '../crd/establish.js';
import { DefinitionRegistry } from '../registry/definition-registry.js';
import { createApiServer } from '../server.js';

/** A server that takes definitions of custom kinds, too, with the namespace `default` and a clock that is stepped. */
export async function aServerOfCustomKinds(clock = new ManualClock(), store: Store = memoryStore({ clock })) {
  const definitions = new DefinitionRegistry(builtInDefinitions());
  const api = createApiServer({ store, definitions, clock });
  definitionController({ store, registry: definitions, clock });
  const ask = async (method: string, path: string, body?: object | string, type = 'application/json') => {
    const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body ?? ''));
    const sent = { method, path, headers: { 'content-type': type }, user: admin };
    return replyOf(await api.handle({ ...sent, ...(body !== undefined && { body: { bytes } }) }));
  };
  await ask('POST', '/api/v1/namespaces', named('Namespace', 'default'));
  return { api, ask, clock, store };
}

/** Where definitions of custom kinds are made. */
export const definitionPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
