import { type Discovery, type Kube, type KubeObject, pathOf, type ResourceClient, StatusError } from '@slipway/kube';
import { type KindName, objectKinds, type Step, type TestObject } from '../scenario.js';
import type { Answer, Runner } from './runner.js';

const mediaTypes = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
} as const;

/** Plays scenarios with our own client. */
export function kubeRunner(kube: Kube): Runner {
  let discovery: Discovery | undefined;
  const resourceOf = async ({ apiVersion, kind }: KindName) => {
    const [group = '', version = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
    const wanted = { group, version, kind };
    let found = discovery?.find(wanted);
    if (!found) {
      discovery = await kube.discover();
      found = discovery.find(wanted);
    }
    if (!found) throw new RangeError(`the server has no ${kind} of ${apiVersion}`);
    return found;
  };
  return {
    name: 'kube',
    can: (kind) => kind === 'watch' || objectKinds.has(kind),
    async run(step, namespace) {
      if (step.watch !== undefined) return await watch(kube, step.watch, step.events);
      const object = step.create ?? step.read ?? step.replace ?? step.change ?? step.apply ?? step.remove;
      const resource = await resourceOf(object ?? step.list ?? { apiVersion: '', kind: '' });
      const within = resource.namespaced ? { namespace } : {};
      try {
        if (!object) {
          const { labelSelector = '' } = step;
          return { object: { ...(await kube.resource(resource).list({ ...within, labelSelector })) } };
        }
        const named = { ...object, metadata: { ...object.metadata, ...within } };
        return { object: await once(kube, kube.resource(resource), step, named) };
      } catch (error) {
        if (!(error instanceof StatusError)) throw error;
        return { refused: { reason: error.reason, message: error.message } };
      }
    },
  };
}

/** A patch by its media type goes by the transport: clients offer what controllers need of them. */
async function once(kube: Kube, client: ResourceClient, step: Step, object: TestObject): Promise<unknown> {
  const { name = '', namespace } = object.metadata;
  const ref = { ...object.metadata, name, namespace };
  if (step.create) return await client.create(object as KubeObject);
  if (step.read) return await client.get(ref);
  if (step.replace) return await client.replace(object as KubeObject);
  if (step.remove) return await client.delete(ref);
  const { manager = 'conformance', force = false, type = 'merge' } = step;
  if (step.apply) return await client.apply({ ...object, metadata: ref }, { fieldManager: manager, force });
  const { status, body } = await kube.transport.request({
    method: 'PATCH',
    path: pathOf(client.resource, namespace, name),
    contentType: mediaTypes[type],
    body: step.patch,
  });
  if (status >= 400) throw new StatusError(body as StatusError['status']);
  return body;
}

async function watch(kube: Kube, path: string, wanted = Number.POSITIVE_INFINITY): Promise<Answer> {
  const enough = new AbortController();
  const signal = AbortSignal.any([enough.signal, AbortSignal.timeout(20_000)]);
  const events: { type: string; object: unknown }[] = [];
  try {
    for await (const frame of kube.transport.stream({ method: 'GET', path, signal }, signal)) {
      events.push(frame);
      if (events.length >= wanted) break;
    }
  } catch (error) {
    if (error instanceof StatusError) return { events, refused: { reason: error.reason, message: error.message } };
    if (!signal.aborted) throw error;
  } finally {
    enough.abort();
  }
  return { events };
}
