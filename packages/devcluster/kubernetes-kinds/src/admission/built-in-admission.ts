import type { Random } from '@slipway/api-machinery/json/random';
import { systemRandom } from '@slipway/api-machinery/json/random';
import type { AdmissionHook, NewAdmissionPlugins } from '@slipway/api-server/attributes/admission';
import { requireSignerRights, stampRequester } from './certificate-requests.js';
import { requireExpandable } from './claim-expansion.js';
import { defaultIngressClass } from './default-ingress-class.js';
import { defaultStorageClass } from './default-storage-class.js';
import { addDefaultTolerations } from './default-tolerations.js';
import { applyLimitDefaults, requireLimits } from './limit-range/limit-ranges.js';
import { restrictNodes } from './node/node-restriction.js';
import { taintNewNode } from './node-taint.js';
import { requireOneDefaultPriority, resolvePriority } from './priority.js';
import { quotaCharger } from './quota/charge-quotas.js';
import { applyRuntimeClass } from './runtime-class.js';
import { useServiceAccount } from './service-account.js';
import { allocateServiceAddresses } from './service-addresses.js';
import { protectStorage } from './storage-protection.js';

/** The rules of the built-in kinds, hooks included. Call it once per cluster: some hooks remember what they handed out. */
export function builtInAdmission(random: Pick<Random, 'suffix'> = systemRandom): NewAdmissionPlugins {
  return kindAdmission(builtInHooks(random));
}

/** The rules of the built-in kinds with these hooks: rights of signers and kubelets, limits and quotas. */
export function kindAdmission(hooks: readonly AdmissionHook[] = []): NewAdmissionPlugins {
  return ({ store, authorizer, clock }) => ({
    guards: [restrictNodes],
    hooks: [...hooks, requireSignerRights(authorizer)],
    validators: [requireLimits, requireExpandable],
    ...quotaCharger(store, clock),
  });
}

/** The hooks that every cluster runs, in order. */
export function builtInHooks({ suffix }: Pick<Random, 'suffix'>): AdmissionHook[] {
  return [
    applyLimitDefaults,
    useServiceAccount(suffix),
    resolvePriority,
    requireOneDefaultPriority,
    addDefaultTolerations,
    taintNewNode,
    defaultStorageClass,
    protectStorage,
    applyRuntimeClass,
    stampRequester,
    defaultIngressClass,
    allocateServiceAddresses(),
  ];
}
