import { balloonCrds, balloonManifests } from '@slipway/balloons';
import { featureCrds, featureManifests, serverNamespace } from '@slipway/features';
import type { KubeObject } from '@slipway/kube';
import { nodeAgentManifests, pullCrds } from '@slipway/node-agent/install';
import { inNamespace } from './in-namespace.js';
import { labelled, type PartName, partNames } from './labels.js';
import { balloonWorkload, nodeAgentWorkload, serverWorkload } from './workloads.js';

export { stampVersion } from '@slipway/features';
export { type PartName, partNames } from './labels.js';

/** Describes an installation. */
export interface InstallationOptions {
  readonly parts: readonly PartName[];
  /** Image of the processes. Without one only kinds and rights are installed, and the processes run elsewhere. */
  readonly image?: string | undefined;
  /** Whether the feature server may make admission policies that reject the use of features that are off. */
  readonly guards: boolean;
  /** Whether node agents connect the pull limiters of their nodes to the cluster, for which they run as root. Default: false. */
  readonly pulls?: boolean | undefined;
  /** The version of MutatingAdmissionPolicy with which the API server fills in the authors of definitions. Default: none. */
  readonly stampVersion?: string | undefined;
  /** Namespace of the processes. Default: slipway-system. */
  readonly namespace?: string;
}

/** Returns every object of an installation, in the order in which they are created. */
export function installation(options: InstallationOptions): readonly KubeObject[] {
  const { parts, image, guards, pulls = false, stampVersion, namespace = serverNamespace } = options;
  const ofPart: Readonly<Record<PartName, () => readonly KubeObject[]>> = {
    features: () => [
      ...featureManifests({ guards, stampVersion }),
      ...featureCrds(),
      ...(image === undefined ? [] : serverWorkload(image)),
    ],
    'node-agent': () => [
      ...nodeAgentManifests(),
      ...pullCrds(),
      ...(image === undefined ? [] : nodeAgentWorkload(image, pulls)),
    ],
    balloons: () => [...balloonCrds(), ...balloonManifests(), ...(image === undefined ? [] : balloonWorkload(image))],
  };
  const objects = partNames
    .filter((part) => parts.includes(part))
    .flatMap((part) => ofPart[part]().map((object) => labelled(object, part)));
  const all = [labelled(systemNamespace), ...objects];
  return all.map((object) => inNamespace(object, namespace));
}

/** Pods of the node agent share the network of their node, which only the `privileged` Pod Security level allows. */
const systemNamespace: KubeObject = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: serverNamespace, labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } },
};
