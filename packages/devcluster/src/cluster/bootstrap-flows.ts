import { equalJson } from '@slipway/api-machinery/json/json-value';
import { apiVersionOf, type Kube, type ResourceRef } from '@slipway/kube';
import {
  mandatoryLevels,
  mandatorySchemas,
  suggestedLevels,
  suggestedSchemas,
} from '../api-server/flow-control/declared-flows.js';
import { flowSchemas, priorityLevels } from '../kube-objects/kinds/api/flows.js';
import { ignoreConflict } from './ignore-conflict.js';

const autoUpdate = 'apf.kubernetes.io/autoupdate-spec';

/**
 * Makes the FlowSchemas and PriorityLevelConfigurations that every cluster has. One that says of itself that it is
 * kept up to date gets back what was changed of it.
 */
export async function bootstrapFlows(kube: Kube): Promise<void> {
  await Promise.all(
    [...mandatoryLevels, ...suggestedLevels].map(([name, spec]) => keep(kube, priorityLevels, name, spec)),
  );
  await Promise.all(
    [...mandatorySchemas, ...suggestedSchemas].map(([name, spec]) => keep(kube, flowSchemas, name, spec)),
  );
}

async function keep(kube: Kube, resource: ResourceRef, name: string, spec: object): Promise<void> {
  const client = kube.resource(resource);
  const there = await client.find({ name });
  if (!there) {
    const metadata = { name, annotations: { [autoUpdate]: 'true' } };
    return ignoreConflict(client.create({ apiVersion: apiVersionOf(resource), kind: resource.kind, metadata, spec }));
  }
  // What an administrator may set of the exempt level stays.
  if (name === 'exempt' || there.metadata.annotations?.[autoUpdate] !== 'true' || equalJson(there.spec, spec)) return;
  await ignoreConflict(client.replace({ ...there, spec }));
}
