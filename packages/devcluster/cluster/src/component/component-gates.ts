import { isOnByDefault } from '@slipway/api-machinery/schema/message-table';
import { minorOf } from '@slipway/api-machinery/schema/supported-versions';
import { createFeatureGate, type FeatureGate, type GateSpecs } from '@slipway/feature-gates';
import {
  imageVolumeGate,
  maxUnavailableGate,
  openApiGate,
  resizePreemptionGate,
  scaleToZeroGate,
  strictAddressesGate,
  toleranceGate,
} from '@slipway/kube-objects/rules/gate-names';

/**
 * What only the API server has: who may impersonate for what (KEP-5284), its pages about itself (KEP-4827, KEP-4828), and
 * what it validates of addresses (KEP-4858) and of autoscalers (KEP-2021).
 */
const serverGates: GateSpecs = {
  ComponentFlagz: [
    { version: '1.32', stage: 'Alpha', default: false },
    { version: '1.36', stage: 'Beta', default: true },
  ],
  ComponentStatusz: [
    { version: '1.32', stage: 'Alpha', default: false },
    { version: '1.36', stage: 'Beta', default: true },
  ],
  // As it was from 1.24 to 1.26; Kubernetes has locked and dropped it since. It is the stateless feature of KEP-3920.
  [openApiGate]: [
    { version: '1.23', stage: 'Alpha', default: false },
    { version: '1.24', stage: 'Beta', default: true },
  ],
  [scaleToZeroGate]: [
    { version: '1.16', stage: 'Alpha', default: false },
    { version: '1.37', stage: 'Beta', default: true },
  ],
  [strictAddressesGate]: [
    { version: '1.33', stage: 'Alpha', default: false },
    { version: '1.36', stage: 'Beta', default: true },
  ],
  ConstrainedImpersonation: [
    { version: '1.35', stage: 'Alpha', default: false },
    { version: '1.36', stage: 'Beta', default: true },
  ],
};

/** Components that have a part in who makes room for a pod that grows: one keeps what nodes say of it, the others act. */
const resizePreemptionComponents = ['kube-apiserver', 'kube-scheduler', 'kubelet'];

/** Components that have a part in images as volumes: one stores the field, the others mount it. */
const imageVolumeComponents = ['kube-apiserver', 'kubelet'];

/** Components of a field of workloads: the one that stores it, and the one that acts on it. */
const workloadComponents = ['kube-apiserver', 'kube-controller-manager'];

/** Reads the gates of an API server; gates that only guard fields have the default of its version, and others are off. */
export function gateReader(gate: FeatureGate): (name: string) => boolean {
  const known = new Set(gate.list().map(({ name }) => name));
  const minor = minorOf(gate.emulationVersion);
  return (name) => (known.has(name) ? gate.enabled(name) : isOnByDefault(name, minor));
}

/**
 * The gate of a component: it registers the gates that this component implements here, and no
 * others. `version` is the Kubernetes version it claims to be. Gates are live: their
 * published values may be followed without a restart.
 */
export function componentGate(component: string, version: string): FeatureGate {
  const gate = createFeatureGate({ component, version });
  if (component === 'kube-apiserver') {
    gate.add(serverGates);
    gate.declareLive(openApiGate);
  }
  if (imageVolumeComponents.includes(component)) {
    gate.add({
      [imageVolumeGate]: [
        { version: '1.31', stage: 'Alpha', default: false },
        { version: '1.33', stage: 'Beta', default: false },
        { version: '1.35', stage: 'Beta', default: true },
        { version: '1.36', stage: 'GA', default: true, locked: true },
      ],
    });
    gate.declareLive(imageVolumeGate);
  }
  if (resizePreemptionComponents.includes(component)) {
    gate.add({ [resizePreemptionGate]: [{ version: '1.37', stage: 'Alpha', default: false }] });
  }
  if (workloadComponents.includes(component)) {
    gate.add({
      [toleranceGate]: [
        { version: '1.33', stage: 'Alpha', default: false },
        { version: '1.35', stage: 'Beta', default: true },
        { version: '1.37', stage: 'GA', default: true, locked: true },
      ],
      [maxUnavailableGate]: [
        { version: '1.24', stage: 'Alpha', default: false },
        { version: '1.35', stage: 'Beta', default: false },
        { version: '1.37', stage: 'Beta', default: true },
      ],
    });
    gate.declareLive(maxUnavailableGate);
    gate.declareLive(toleranceGate);
  }
  return gate;
}
