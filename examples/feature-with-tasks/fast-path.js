import { clearField, custom, defineFeature } from '@slipway/features';

const field = { group: 'acme.io', resource: 'widgets', path: 'spec.fast' };

/** What happens on the way, for the tests to look at. */
export const log = [];

/** Makes room for the fast path. It is called again after a crash, so it asks what is there before it does anything. */
const warmUp = custom('WarmUp', async ({ kube, feature, signal }) => {
  const ref = { name: 'fast-path-cache', namespace: feature.metadata.namespace };
  if (await kube.resource(configMaps).find(ref, signal)) return { phase: 'Done' };
  await kube.resource(configMaps).create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: ref }, { signal });
  log.push('warmed up');
  return { phase: 'Done', objects: 1 };
});

/** Gives the room back. `Running` is asked again; the checkpoint is there then, in whichever process. */
const drain = custom('Drain', async ({ kube, feature, checkpoint, signal }) => {
  if (checkpoint !== 'asked') {
    log.push('draining');
    return { phase: 'Running', message: 'the queue empties', checkpoint: 'asked', retryAfterMs: 10 };
  }
  await kube
    .resource(configMaps)
    .delete({ name: 'fast-path-cache', namespace: feature.metadata.namespace }, { signal });
  log.push('drained');
  return { phase: 'Done' };
});

/** The feature: who runs it, what counts as using it, and what must happen when it is turned on and off. */
export const fastPath = defineFeature({
  gate: 'FastPath',
  namespace: 'acme',
  stages: [{ version: '1.0', stage: 'Alpha', default: false }],
  components: ['acme-operator'],
  dynamic: 'Live',
  references: [field],
  tasks: { on: [{ ...warmUp, phase: 'BeforePublish' }], off: [drain, clearField(field)] },
  exercise: [
    {
      apiVersion: 'acme.io/v1',
      kind: 'Widget',
      metadata: { name: 'example', namespace: 'acme' },
      spec: { fast: true, size: 3 },
    },
  ],
});

const configMaps = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true };
