import type { Container, Pod } from '@slipway/kube-objects/kinds/api/pods';

/** Formats why a kubelet kills a container whose probe failed; of containers that are not init containers, also whether it comes again. */
export function killMessage({ spec }: Pod, { name, restartPolicy }: Container, probe: string): string {
  if ((spec.initContainers ?? []).some((init) => init.name === name))
    return `Init container ${name} failed ${probe} probe`;
  const isRestarted = (restartPolicy ?? spec.restartPolicy) !== 'Never';
  return `Container ${name} failed ${probe} probe${isRestarted ? ', will be restarted' : ''}`;
}
