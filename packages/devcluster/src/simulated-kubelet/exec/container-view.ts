import type { Clock, KubeObject } from '@slipway/kube';
import type { Pod } from '../../kube-objects/kinds/api/pods.js';
import type { ContainerFields } from '../../kube-objects/kinds/pod-spec.js';
import type { PodDisk } from './pod-disk.js';

/** A container as a process in it sees it: what its pod says, and what the kubelet can look up for it. */
export interface ContainerView {
  readonly pod: Pod;
  readonly container: ContainerFields;
  /** Tells one run of the container from the next. */
  readonly run: string;
  /** What the containers of the pod have written. */
  readonly disk: PodDisk;
  /** An object of the pod's namespace; `resource` is a plural of the core group. */
  readonly lookUp: (resource: 'configmaps' | 'secrets' | 'services', name: string) => KubeObject | undefined;
  readonly services: () => readonly KubeObject[];
  /** A token of the pod's service account. */
  readonly token: (expirationSeconds: number, audience: string | undefined) => Promise<string>;
  readonly clock: Clock;
}
