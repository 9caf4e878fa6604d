import { createFeatureGate, type FeatureGate } from '@slipway/feature-gates';

/** Name of this component in reports. */
const component = 'slipway-balloons';
export const nodeBalloonsGate = 'NodeBalloons';

/** The part of a gate that controllers use. */
export type BalloonSwitch = Pick<FeatureGate, 'enabled' | 'subscribe'>;

/**
 * Creates the gate of a balloon controller (KEP-5620). It may change while the controller runs: when it is off, every
 * node is restored and loses its balloon, as if each policy were off.
 */
export function balloonGate(flag?: string): FeatureGate {
  const gate = createFeatureGate({ component, version: '0.1' });
  gate.add({ [nodeBalloonsGate]: [{ version: '0.1', stage: 'Alpha', default: true }] });
  if (flag !== undefined) gate.set(flag);
  gate.declareLive(nodeBalloonsGate);
  return gate;
}
