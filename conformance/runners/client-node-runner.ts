import {
  ApiException,
  type KubeConfig,
  KubernetesObjectApi,
  type KubernetesObject as NodeObject,
  PatchStrategy,
  Watch,
} from '@kubernetes/client-node';
import { objectKinds, type Step } from '../scenario.js';
import type { Answer, Runner } from './runner.js';

/** Plays scenarios with the official JavaScript client. It has no words for a JSON patch of any object. */
export function clientNodeRunner(config: KubeConfig): Runner {
  const objects = KubernetesObjectApi.makeApiClient(config);
  return {
    name: 'client-node',
    can: (kind, step) => kind === 'watch' || (objectKinds.has(kind) && step.type !== 'json'),
    async run(step, namespace) {
      if (step.watch !== undefined) return await watch(config, step.watch, step.events);
      try {
        return { object: await once(objects, step, namespace) };
      } catch (error) {
        if (!(error instanceof ApiException)) throw error;
        const status = JSON.parse(String(error.body));
        return { refused: { reason: status.reason, message: status.message } };
      }
    },
  };
}

async function once(objects: KubernetesObjectApi, step: Step, namespace: string): Promise<unknown> {
  const within = <T extends object>(object: T) =>
    ({ ...object, metadata: { namespace, ...(object as NodeObject).metadata } }) as NodeObject & {
      metadata: { name: string; namespace: string };
    };
  if (step.create) return await objects.create(within(step.create));
  if (step.read) return await objects.read(within(step.read));
  if (step.replace) return await objects.replace(within(step.replace));
  if (step.remove) return await objects.delete(within(step.remove));
  if (step.apply) {
    const { manager = 'conformance', force = false } = step;
    const wanted = within(step.apply);
    return await objects.patch(wanted, undefined, undefined, manager, force, PatchStrategy.ServerSideApply);
  }
  if (step.change) {
    const strategy = step.type === 'strategic' ? PatchStrategy.StrategicMergePatch : PatchStrategy.MergePatch;
    const { metadata, ...rest } = step.patch as NodeObject;
    const patch = within({ ...step.change, ...rest, metadata: { ...step.change.metadata, ...metadata } });
    return await objects.patch(patch, undefined, undefined, undefined, undefined, strategy);
  }
  const { apiVersion = '', kind = '' } = step.list ?? {};
  const { labelSelector } = step;
  const none = undefined;
  return await objects.list(apiVersion, kind, namespace, none, none, none, none, labelSelector);
}

async function watch(config: KubeConfig, path: string, wanted = Number.POSITIVE_INFINITY): Promise<Answer> {
  const [, pathOnly = '', query = ''] = /^([^?]*)\??(.*)$/.exec(path) ?? [];
  const events: { type: string; object: unknown }[] = [];
  let stop: AbortController | undefined;
  const ended = new Promise<unknown>((resolve) => {
    const timer = setTimeout(resolve, 20_000);
    const end = (error?: unknown) => {
      clearTimeout(timer);
      resolve(error);
    };
    const seen = (type: string, object: unknown) => {
      events.push({ type, object });
      if (events.length >= wanted) end();
    };
    new Watch(config).watch(pathOnly, Object.fromEntries(new URLSearchParams(query)), seen, end).then((controller) => {
      stop = controller;
    }, end);
  });
  await ended;
  stop?.abort();
  return { events };
}
