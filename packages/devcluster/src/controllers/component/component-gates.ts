import { createFeatureGate, type FeatureGate } from '@slipway/feature-gates';
import { maxUnavailableGate } from '../stateful-set/max-unavailable.js';

/** Components whose behaviour MaxUnavailableStatefulSet switches: the one that stores the field, the one that acts on it. */
const maxUnavailableComponents = ['kube-apiserver', 'kube-controller-manager'];

/**
 * The gate of a component: it registers the gates that this component implements here, and no
 * others. `version` is the Kubernetes version it claims to be. Gates are live: their
 * published values may be followed without a restart.
 */
export function componentGate(component: string, version: string): FeatureGate {
  const gate = createFeatureGate({ component, version });
  if (maxUnavailableComponents.includes(component)) {
    gate.add({
      [maxUnavailableGate]: [
        { version: '1.24', stage: 'Alpha', default: false },
        { version: '1.35', stage: 'Beta', default: false },
        { version: '1.37', stage: 'Beta', default: true },
      ],
    });
    gate.declareLive(maxUnavailableGate);
  }
  return gate;
}
