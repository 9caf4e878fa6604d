import { createFeatureGate, type FeatureGate } from '@slipway/feature-gates';

/** What this process is called in reports. */
const component = 'slipway-balloons';
export const nodeBalloonsGate = 'NodeBalloons';

/** What controllers ask of a gate. */
export type BalloonSwitch = Pick<FeatureGate, 'enabled' | 'subscribe'>;

/**
 * The gate of a balloon controller (KEP-5620). It may be switched while the controller runs:
 * off, every node gets back all it has and loses its balloon, as if each policy were off.
 */
export function balloonGate(flag?: string): FeatureGate {
  const gate = createFeatureGate({ component, version: '0.1' });
  gate.add({ [nodeBalloonsGate]: [{ version: '0.1', stage: 'Beta', default: true }] });
  if (flag !== undefined) gate.set(flag);
  gate.declareLive(nodeBalloonsGate);
  return gate;
}
