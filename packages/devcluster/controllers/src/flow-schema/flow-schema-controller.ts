import { Controller, type ObjectRef, type Reconciler, timestamp } from '@slipway/kube';
import { flowSchemas, priorityLevels } from '@slipway/kube-objects/kinds/api/flows';
import type { WorkloadDeps } from '../workloads/workload-deps.js';

/** Who writes the condition, in managedFields. */
const fieldManager = 'api-priority-and-fairness-config-consumer-v1';

/** Says of each FlowSchema whether the priority level it names is there: one without counts for nothing. */
export function flowSchemaController(deps: WorkloadDeps): Controller {
  const { informers } = deps;
  const schemas = informers.informer(flowSchemas);
  return new Controller({
    ...deps,
    name: 'flow-schemas',
    for: flowSchemas,
    watches: [
      {
        of: priorityLevels,
        map: ({ metadata }) =>
          schemas.lister
            .list()
            .filter(({ spec }) => spec.priorityLevelConfiguration.name === metadata.name)
            .map((schema): ObjectRef => ({ name: schema.metadata.name ?? '' })),
      },
    ],
    reconcile: flowSchemaReconciler(deps),
  });
}

function flowSchemaReconciler({ kube, informers }: WorkloadDeps): Reconciler {
  const schemas = informers.informer(flowSchemas);
  const levels = informers.informer(priorityLevels);
  const client = kube.resource(flowSchemas);
  return async (ref, { now, signal }) => {
    const schema = schemas.lister.get(ref);
    if (!schema) return;
    const level = schema.spec.priorityLevelConfiguration.name;
    const wanted = levels.lister.get({ name: level }) ? found(level) : missing(level);
    const there = schema.status?.conditions?.find(({ type }) => type === 'Dangling');
    if (there?.status === wanted.status && there.message === wanted.message) return;
    const condition = { type: 'Dangling', lastTransitionTime: timestamp(now()), ...wanted };
    await client.applyStatus(
      { metadata: { name: ref.name }, status: { conditions: [condition] } },
      { fieldManager, force: true, signal },
    );
  };
}

function found(level: string) {
  const message = `This FlowSchema references the PriorityLevelConfiguration object named "${level}" and it exists`;
  return { status: 'False', reason: 'Found', message };
}

function missing(level: string) {
  const named = `This FlowSchema references the PriorityLevelConfiguration object named "${level}"`;
  return { status: 'True', reason: 'NotFound', message: `${named} but there is no such object` };
}
