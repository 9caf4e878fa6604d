import { type Random, systemRandom } from '@slipway/api-machinery/json/random';
import { minorOf } from '@slipway/api-machinery/schema/supported-versions';
import { type AdmissionHook, type NewAdmissionPlugins, noPlugins } from '@slipway/api-server/attributes/admission';
import type { AddressRange } from '@slipway/kube-objects/rules/address-range';
import {
  requireAttestRights,
  requirePodSignerRights,
  requireSignerRights,
  stampRequester,
} from './certificate-requests.js';
import { requireExpandable } from './claim-expansion.js';
import { defaultIngressClass } from './default-ingress-class.js';
import { defaultStorageClass } from './default-storage-class.js';
import { addDefaultTolerations } from './default-tolerations.js';
import { requireAdminLabel } from './device-admin-access.js';
import { applyLimitDefaults, requireLimits } from './limit-range/limit-ranges.js';
import { restrictNodes } from './node/node-restriction.js';
import { taintNewNode } from './node-taint.js';
import { requireOneDefaultPriority, resolvePriority } from './priority.js';
import { quotaCharger } from './quota/charge-quotas.js';
import { applyRuntimeClass } from './runtime-class.js';
import { useServiceAccount } from './service-account.js';
import { allocateServiceAddresses } from './service-addresses.js';
import { protectStorage } from './storage-protection.js';
import { addTopologyLabels } from './topology-labels.js';

/** Which admission plugins a server runs, by the names that Kubernetes gives them. */
export type PluginChoice = (plugin: string) => boolean;

const allPlugins: PluginChoice = () => true;

export interface BuiltInAdmissionOptions {
  readonly random?: Pick<Random, 'suffix'>;
  /** Default: all that are implemented. */
  readonly runs?: PluginChoice;
  /** Range of the addresses of services. Default: `serviceAddresses`. */
  readonly services?: AddressRange;
}

/** The rules of the built-in kinds, hooks included. Call it once per cluster: some hooks remember what they handed out. */
export function builtInAdmission(options: BuiltInAdmissionOptions = {}): NewAdmissionPlugins {
  return kindAdmission(builtInHooks(options), options.runs);
}

/** The rules of the built-in kinds with these hooks: rights of signers and kubelets, limits and quotas. */
export function kindAdmission(
  hooks: readonly AdmissionHook[] = [],
  runs: PluginChoice = allPlugins,
): NewAdmissionPlugins {
  const chosen = <Rule>(all: Readonly<Record<string, Rule>>) =>
    Object.entries(all).flatMap(([plugin, rule]) => (runs(plugin) ? [rule] : []));
  return ({ store, authorizer, clock, version }) => ({
    guards: chosen({ NodeRestriction: restrictNodes }),
    hooks: [
      ...hooks,
      ...chosen({
        CertificateApproval: requireSignerRights(authorizer),
        ClusterTrustBundleAttest: requireAttestRights(authorizer),
        ...(minorOf(version) >= 35 && { PodTopologyLabels: addTopologyLabels }),
      }),
      requirePodSignerRights(authorizer),
    ],
    validators: [
      // In Kubernetes the storage of these kinds does it.
      requireAdminLabel,
      ...chosen({ LimitRanger: requireLimits, PersistentVolumeClaimResize: requireExpandable }),
    ],
    ...(runs('ResourceQuota') ? quotaCharger(store, clock) : noCharge),
  });
}

const { charge, close } = noPlugins;
const noCharge = { charge, close };

/** The hooks that a cluster runs, in order. */
export function builtInHooks(options: BuiltInAdmissionOptions): AdmissionHook[] {
  const { random = systemRandom, runs = allPlugins, services } = options;
  const all: readonly (readonly [plugin: string, hook: AdmissionHook])[] = [
    ['LimitRanger', applyLimitDefaults],
    ['ServiceAccount', useServiceAccount(random.suffix)],
    ['Priority', resolvePriority],
    ['Priority', requireOneDefaultPriority],
    ['DefaultTolerationSeconds', addDefaultTolerations],
    ['TaintNodesByCondition', taintNewNode],
    ['DefaultStorageClass', defaultStorageClass],
    ['StorageObjectInUseProtection', protectStorage],
    ['RuntimeClass', applyRuntimeClass],
    ['DefaultIngressClass', defaultIngressClass],
  ];
  // The last two are not plugins: in Kubernetes the storage of a kind does it.
  return [
    ...all.flatMap(([plugin, hook]) => (runs(plugin) ? [hook] : [])),
    stampRequester,
    allocateServiceAddresses(services),
  ];
}
