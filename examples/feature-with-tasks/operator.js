import { createFeatureGate } from '@slipway/feature-gates';

/** The operator's gate, as its code asks it: `gate.enabled('FastPath')`. */
export function operatorGate() {
  const gate = createFeatureGate({ component: 'acme-operator', version: '1.0' });
  gate.add({ FastPath: [{ version: '1.0', stage: 'Alpha', default: false }] });
  gate.declareLive('FastPath');
  return gate;
}
