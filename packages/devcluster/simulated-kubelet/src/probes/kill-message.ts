import type { Container, Pod } from '@slipway/kube-objects/kinds/api/pods';

/**
 * Formats why a kubelet kills a container whose probe failed; of containers that are not init containers, also whether
 * it comes again. A pod that has no other container, and whose only one does not come again, is killed as a whole.
 */
export function killMessage({ spec }: Pod, { name, restartPolicy }: Container, probe: string): string {
  const isInit = (spec.initContainers ?? []).some((init) => init.name === name);
  if (isInit) return `Init container ${name} failed ${probe} probe`;
  if ((restartPolicy ?? spec.restartPolicy) !== 'Never')
    return `Container ${name} failed ${probe} probe, will be restarted`;
  return spec.containers.length === 1 ? `Stopping container ${name}` : `Container ${name} failed ${probe} probe`;
}
