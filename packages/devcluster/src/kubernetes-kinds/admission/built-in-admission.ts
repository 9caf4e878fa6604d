import type { Random } from '../../api-machinery/json/random.js';
import { systemRandom } from '../../api-machinery/json/random.js';
import type { AdmissionHook } from '../../api-server/attributes/admission.js';
import { stampRequester } from './certificate-requests.js';
import { defaultIngressClass } from './default-ingress-class.js';
import { defaultStorageClass } from './default-storage-class.js';
import { addDefaultTolerations } from './default-tolerations.js';
import { applyLimitDefaults } from './limit-range/limit-ranges.js';
import { taintNewNode } from './node-taint.js';
import { demandOneDefaultPriority, resolvePriority } from './priority.js';
import { applyRuntimeClass } from './runtime-class.js';
import { useServiceAccount } from './service-account.js';
import { allocateServiceAddresses } from './service-addresses.js';
import { protectStorage } from './storage-protection.js';

/** The hooks that every cluster runs, in order. Call it once per cluster: some remember what they handed out. */
export function builtInAdmission({ suffix }: Pick<Random, 'suffix'> = systemRandom): AdmissionHook[] {
  return [
    applyLimitDefaults,
    useServiceAccount(suffix),
    resolvePriority,
    demandOneDefaultPriority,
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
