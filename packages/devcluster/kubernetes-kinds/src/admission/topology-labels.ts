import type { AdmissionHook, AdmissionReader } from '@slipway/api-server/attributes/admission';
import type { KubeObject } from '@slipway/kube';

/** Labels of nodes that say where they are. */
const places: readonly string[] = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region'];

/** A pod has the labels of the zone and the region of its node (KEP-4742): from a binding, or when it is made for a node. */
export const addTopologyLabels: AdmissionHook = ({ operation, resource, subresource, object }, reader) => {
  if (operation !== 'CREATE' || resource.group !== '' || resource.plural !== 'pods') return;
  const { kind, name = '' } = object.target ?? {};
  if (subresource === '') label(object, object.spec?.nodeName ?? '', reader);
  else if (subresource === 'binding' && kind === 'Node') label(object, name, reader);
};

function label({ metadata }: KubeObject, nodeName: string, reader: AdmissionReader): void {
  const labels = nodeName === '' ? undefined : reader.latest('nodes', '', nodeName)?.object.metadata.labels;
  const copied = Object.entries(labels ?? {}).filter(([key]) => places.includes(key));
  if (copied.length > 0) metadata.labels = { ...metadata.labels, ...Object.fromEntries(copied) };
}
