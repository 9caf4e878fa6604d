import { balloonCrds, balloonManifests } from '@slipway/balloons';
import { featureCrds, featureManifests, nodeAgentManifests, serverNamespace } from '@slipway/features';
import type { KubeObject } from '@slipway/kube';
import { balloonDeployment, nodeAgentDaemonSet, serverDeployment } from './workloads.js';

/** What can be put on a cluster by itself. */
export const partNames = ['features', 'node-agent', 'balloons'] as const;

export type PartName = (typeof partNames)[number];

/** What is asked to be installed. */
export interface Wanted {
  readonly parts: readonly PartName[];
  /** Image of the processes; without one only what they need is installed, and somebody else runs them. */
  readonly image?: string | undefined;
  /** Whether the feature server may make admission policies that keep features that are off from being used. */
  readonly guards: boolean;
}

/** Everything that an installation consists of, in the order in which it is made. */
export function installation({ parts, image, guards }: Wanted): readonly KubeObject[] {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: serverNamespace } };
  const ofPart: Readonly<Record<PartName, () => readonly KubeObject[]>> = {
    features: () => [
      ...featureCrds(),
      ...featureManifests({ guards }),
      ...(image === undefined ? [] : [serverDeployment(image)]),
    ],
    'node-agent': () => [...nodeAgentManifests(), ...(image === undefined ? [] : [nodeAgentDaemonSet(image)])],
    balloons: () => [
      ...balloonCrds(),
      ...balloonManifests(),
      ...(image === undefined ? [] : [balloonDeployment(image)]),
    ],
  };
  return [namespace, ...partNames.filter((part) => parts.includes(part)).flatMap((part) => ofPart[part]())];
}

/** Whether an object holds what people made, and stays when the rest goes. */
export function staysBehind({ kind }: KubeObject): boolean {
  return kind === 'Namespace' || kind === 'CustomResourceDefinition';
}
