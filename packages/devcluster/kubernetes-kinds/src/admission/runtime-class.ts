import { forbidden } from '@slipway/api-machinery/errors/status-errors';
import { equalJson } from '@slipway/api-machinery/json/json-value';
import type { AdmissionHook } from '@slipway/api-server/attributes/admission';
import type { PodSpecFields, TolerationFields } from '@slipway/kube-objects/kinds/pod-spec';
import type { RuntimeClassFields } from '../kinds/runtime-class.js';

/** Gives a new pod what its runtime class says: what it costs beside its containers, and where it can run. */
export const applyRuntimeClass: AdmissionHook = ({ operation, resource, subresource, object }, reader) => {
  const isPod = resource.group === '' && resource.plural === 'pods' && subresource === '';
  if (operation !== 'CREATE' || !isPod) return;
  const spec: PodSpecFields = object.spec;
  const refuse = (why: string) => forbidden(resource, object.metadata.name ?? '', why);
  const { runtimeClassName } = spec;
  const found =
    typeof runtimeClassName === 'string'
      ? reader.latest('runtimeclasses.node.k8s.io', '', runtimeClassName)?.object
      : undefined;
  if (typeof runtimeClassName === 'string' && !found) {
    throw refuse(`pod rejected: RuntimeClass ${JSON.stringify(runtimeClassName)} not found`);
  }
  const { overhead, scheduling } = (found ?? {}) as RuntimeClassFields;
  if (spec.overhead && !equalJson(spec.overhead, overhead?.podFixed)) {
    throw refuse(
      overhead?.podFixed
        ? "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"
        : 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
    );
  }
  if (overhead?.podFixed) spec.overhead = { ...overhead.podFixed };
  for (const [key, value] of Object.entries(scheduling?.nodeSelector ?? {})) {
    const own = spec.nodeSelector?.[key];
    if (own === undefined || own === value) continue;
    throw refuse(
      `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`,
    );
  }
  if (scheduling?.nodeSelector) spec.nodeSelector = { ...spec.nodeSelector, ...scheduling.nodeSelector };
  const more = without(scheduling?.tolerations ?? [], spec.tolerations ?? []);
  if (more.length > 0) spec.tolerations = [...(spec.tolerations ?? []), ...more];
};

function without(tolerations: readonly TolerationFields[], own: readonly TolerationFields[]): TolerationFields[] {
  return tolerations.filter((one) => !own.some((other) => equalJson(other, one)));
}
