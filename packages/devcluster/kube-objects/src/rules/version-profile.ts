import { minorOf } from '@slipway/api-machinery/schema/supported-versions';
import { imageVolumeGate, resizePreemptionGate } from './gate-names.js';

/** What scheduler and kubelets do differently from one Kubernetes version, or one gate, to another. */
export interface VersionProfile {
  /** Who makes room for a critical pod that grows: its kubelet, or from 1.37 on, behind a gate, the scheduler. */
  readonly resizePreemption: 'kubelet' | 'scheduler';
  /** Whether kubelets, too, leave other pods alone for a pod whose preemption policy is `Never` (KEP-5620). */
  readonly kubeletHonoursNever: boolean;
  /** Whether the scheduler names the taint that a pod does not tolerate; later versions only count nodes. */
  readonly namesTaints: boolean;
  /** Whether the scheduler, when it looks for room, also looks for resource claims that can be freed. */
  readonly looksForClaims: boolean;
  /** Whether it says that there are none; later versions only log it. */
  readonly saysNoClaims: boolean;
  /** Whether the scheduler rates a node by how much more evenly it is used with a pod; earlier versions by how evenly. */
  readonly ratesBalanceGained: boolean;
  /** Whether the scheduler rates a node by the room that the volumes of a pod would keep free there (KEP-4049). */
  readonly ratesVolumeRoom: boolean;
  /** Whether the scheduler keeps pods off nodes that lack a driver which wants it so. */
  readonly wantsDrivers: boolean;
  /** Whether the scheduler allocates devices for extended resources that a class of devices stands for. */
  readonly allocatesExtended: boolean;
  /** Whether the scheduler reads DeviceTaintRules. */
  readonly readsTaintRules: boolean;
  /** Whether kubelets say in the status of a pod which generation they have seen. */
  readonly observesGeneration: boolean;
  /** Whether kubelets say in the status of a container what is set aside for it, beside what it runs with. */
  readonly reportsAllocated: boolean;
  /** Whether kubelets mount images as volumes (KEP-4639); a pod with such a volume does not start where they do not. */
  readonly mountsImages: boolean;
  /** Whether kubelets name a container in what they say of it; later ones only refer to it. */
  readonly namesContainers: boolean;
  /** Whether kubelets check that a pod may use an image that is on the node, and say so (KEP-2535). */
  readonly checksImageAccess: boolean;
  /** Whether kubelets say why a pod is not ready to start containers. */
  readonly saysWhyNoSandbox: boolean;
}

const v1_34: VersionProfile = {
  resizePreemption: 'kubelet',
  kubeletHonoursNever: false,
  namesTaints: false,
  looksForClaims: true,
  saysNoClaims: true,
  ratesBalanceGained: false,
  ratesVolumeRoom: false,
  wantsDrivers: false,
  allocatesExtended: false,
  readsTaintRules: false,
  observesGeneration: true,
  reportsAllocated: true,
  mountsImages: false,
  namesContainers: true,
  checksImageAccess: false,
  saysWhyNoSandbox: false,
};

const v1_33: VersionProfile = {
  ...v1_34,
  namesTaints: true,
  looksForClaims: false,
  saysNoClaims: false,
  observesGeneration: false,
  reportsAllocated: false,
};
const v1_35: VersionProfile = { ...v1_34, namesContainers: false, checksImageAccess: true };
const v1_36: VersionProfile = { ...v1_35, ratesBalanceGained: true, allocatesExtended: true };
const v1_37: VersionProfile = {
  ...v1_36,
  saysNoClaims: false,
  ratesVolumeRoom: true,
  saysWhyNoSandbox: true,
  readsTaintRules: true,
  wantsDrivers: true,
};

/** The profiles that suites run on; between two versions named here nothing changes. */
export const versionProfiles = {
  'v1.33': v1_33,
  'v1.34': v1_34,
  'v1.35': v1_35,
  'v1.36': v1_36,
  'v1.37': v1_37,
  /** With the gate `resizePreemptionGate` on. */
  'v1.37-gate': { ...v1_37, resizePreemption: 'scheduler' },
  /** Kubernetes 1.34 with the preemption rule of KEP-5620 built in. */
  native: { ...v1_34, kubeletHonoursNever: true },
} as const satisfies Readonly<Record<string, VersionProfile>>;

export type ProfileName = keyof typeof versionProfiles;

/** Returns the profile of a devcluster with `version`, such as `1.34`: that version of Kubernetes plus KEP-5620. */
export function nativeProfile(version: string): VersionProfile {
  const minor = minorOf(version);
  const byMinor = new Map([
    [34, v1_34],
    [35, v1_35],
    [36, v1_36],
  ]);
  const profile = minor <= 33 ? v1_33 : (byMinor.get(minor) ?? v1_37);
  return { ...profile, kubeletHonoursNever: true };
}

/** The same for a component whose gates these are. */
export function gatedProfile(version: string, isEnabled: (gate: string) => boolean): VersionProfile {
  const resizePreemption = isEnabled(resizePreemptionGate) ? 'scheduler' : 'kubelet';
  return {
    ...nativeProfile(version),
    resizePreemption,
    // Read when it matters: the gate is live.
    get mountsImages() {
      return isEnabled(imageVolumeGate);
    },
  };
}
