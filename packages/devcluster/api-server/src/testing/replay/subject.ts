import { systemRandom } from '@slipway/api-machinery/json/random';
import { componentGate, gateReader } from '@slipway/devcluster/component/component-gates';
import { ManualClock } from '@slipway/kube/testing';
import { createStore } from '@slipway/object-store/create-store';
import type { DurableLog } from '@slipway/object-store/durable-log';
import { customResourceDefinitions } from '../../crd/definition-kind.js';
import type { CustomResourceDefinition } from '../../crd/definition-object.js';
import { definitionController } from '../../crd/establish.js';
import type { HealthCheck } from '../../nonresource/health.js';
import { DefinitionRegistry } from '../../registry/definition-registry.js';
import { createApiServer } from '../../server.js';
import { recordedAuthorizer } from './recorded-access.js';
import { recordedFlags } from './recorded-flags.js';
import type { Drawn, Subject } from './replay-scenario.js';

/** The parts of the recorded server that say whether they are well. */
const recordedChecks: readonly HealthCheck[] = [
  { name: 'loopback-serving-certificate', endpoints: ['healthz', 'livez'], problem: () => undefined },
  { name: 'etcd-readiness', endpoints: ['readyz'], problem: () => undefined },
  ...[
    'max-in-flight-filter',
    'storage-object-count-tracker-hook',
    'start-apiextensions-informers',
    'start-apiextensions-controllers',
    'crd-informer-synced',
  ].map((hook) => ({
    name: `poststarthook/${hook}`,
    endpoints: ['healthz', 'livez', 'readyz'] as const,
    problem: () => undefined,
  })),
];

/** A server as the recordings were made on: custom resources and nothing else, with these definitions. */
export async function recordedServer(definitions: readonly unknown[]): Promise<Subject & Disposable> {
  const clock = new ManualClock();
  const store = createStore({ clock, durable: olderStore(definitions) });
  const registry = new DefinitionRegistry([customResourceDefinitions]);
  const controller = definitionController({ store, registry, clock });
  let drawn: Drawn = {};
  const random = {
    ...systemRandom,
    suffix: () => drawn.suffix ?? systemRandom.suffix(),
    fraction: () => drawn.fraction ?? systemRandom.fraction(),
  };
  const gate = componentGate('kube-apiserver', '1.36');
  const api = createApiServer({
    store,
    definitions: registry,
    clock,
    random,
    version: '1.36.4',
    authorizer: recordedAuthorizer(store),
    isEnabled: gateReader(gate),
    healthChecks: recordedChecks,
    flags: () => recordedFlags,
  });
  for (const definition of definitions) {
    const answer = await api.handle({
      method: 'POST',
      path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      headers: {},
      user: { name: 'admin', groups: ['system:masters'] },
      body: { value: definition },
    });
    if (answer.status !== 201) throw new Error(`a definition of the recordings was refused: ${answer.status}`);
  }
  // Definitions are settled a moment after they are stored.
  await clock.advance(100);
  return {
    api,
    clock,
    draw: (what) => {
      drawn = what;
    },
    [Symbol.dispose]: () => controller.close(),
  };
}

/** The recorded store was written to before, and had forgotten its first revisions. */
function olderStore(definitions: readonly unknown[]): DurableLog {
  const forgotten = 2;
  const resources = (definitions as readonly CustomResourceDefinition[]).map(
    ({ spec }) => `${spec.names.plural}.${spec.group}`,
  );
  return {
    load: () => ({ records: [], compacted: new Map(resources.map((resource) => [resource, forgotten])) }),
    commit: () => Promise.resolve(),
    gather: queueMicrotask,
    close: () => Promise.resolve(),
  };
}
