import type { AdmissionHook } from '@slipway/api-server/attributes/admission';

const taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' } as const;

/**
 * A new node takes no pods until it is known how it is: the node controller lifts the taint once its conditions allow it.
 * Whoever makes the node, and whatever it says of itself, as Kubernetes' TaintNodesByCondition has it.
 */
export const taintNewNode: AdmissionHook = ({ operation, resource, subresource, object }) => {
  if (operation !== 'CREATE' || resource.group !== '' || resource.plural !== 'nodes' || subresource !== '') return;
  const taints: readonly { key: string; effect: string }[] = object.spec?.taints ?? [];
  if (taints.some(({ key, effect }) => key === taint.key && effect === taint.effect)) return;
  object.spec = { ...object.spec, taints: [...taints, { ...taint }] };
};
