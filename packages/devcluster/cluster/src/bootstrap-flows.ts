import { equalJson } from '@slipway/api-machinery/json/json-value';
import {
  mandatoryLevels,
  mandatorySchemas,
  suggestedLevels,
  suggestedSchemas,
} from '@slipway/api-server/flow-control/declared-flows';
import { apiVersionOf, type Kube, type ResourceRef } from '@slipway/kube';
import { flowSchemas, priorityLevels } from '@slipway/kube-objects/kinds/api/flows';
import { objectEnsurer } from './ensure-objects.js';

const autoUpdate = 'apf.kubernetes.io/autoupdate-spec';

/**
 * Makes the FlowSchemas and PriorityLevelConfigurations that every cluster has. One that says of itself that it is
 * kept up to date gets back what was changed of it.
 */
export async function bootstrapFlows(kube: Kube): Promise<void> {
  const ensure = objectEnsurer(kube);
  const keep = (resource: ResourceRef, name: string, spec: object) => {
    const metadata = { name, annotations: { [autoUpdate]: 'true' } };
    const declared = { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata, spec };
    return ensure(resource, declared, (there) => {
      // What an administrator may set of the exempt level stays.
      if (name === 'exempt' || there.metadata.annotations?.[autoUpdate] !== 'true') return undefined;
      return equalJson(there.spec, spec) ? undefined : { ...there, spec };
    });
  };
  await Promise.all([...mandatoryLevels, ...suggestedLevels].map(([name, spec]) => keep(priorityLevels, name, spec)));
  await Promise.all([...mandatorySchemas, ...suggestedSchemas].map(([name, spec]) => keep(flowSchemas, name, spec)));
}
