import { type DefinedFeature, defineFeature, waitForNoObjects } from './define-feature.js';

const policies = { group: 'balloons.slipway.dev', resource: 'balloonpolicies' } as const;

/**
 * Our own resizing of nodes (KEP-5620). Turning it off waits until people have deleted the
 * policies, each of which gives its nodes back all they had first: a machine that was made
 * small must never promise what it no longer has.
 */
export function nodeBalloons(options: { readonly dynamic?: 'Never' | 'Live' } = {}): DefinedFeature {
  const message = 'Delete the policies: each gives its nodes back all they had first';
  return defineFeature({
    gate: 'NodeBalloons',
    scope: 'Cluster',
    stages: [{ version: '0.1', stage: 'Alpha', default: true }],
    components: [{ name: 'slipway-balloons', required: true, roster: 'Self' }],
    dynamic: options.dynamic ?? 'Never',
    disable: 'Supported',
    references: [{ ...policies, kind: 'Object' }],
    tasks: {
      off: [waitForNoObjects({ ...policies, message }, { name: 'WaitForNo-balloonpolicies', phase: 'BeforePublish' })],
    },
    exercise: [
      {
        apiVersion: 'balloons.slipway.dev/v1alpha1',
        kind: 'BalloonPolicy',
        metadata: { name: 'exercise' },
        spec: { nodeSelector: { matchLabels: { 'balloons.slipway.dev/exercise': 'true' } } },
      },
    ],
  });
}
