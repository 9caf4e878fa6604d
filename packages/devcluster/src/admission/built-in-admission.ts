import type { AdmissionHook } from './admission.js';
import { defaultServiceAccount } from './default-service-account.js';
import { defaultStorageClass } from './default-storage-class.js';
import { addDefaultTolerations } from './default-tolerations.js';
import { applyLimitDefaults } from './limit-range/limit-ranges.js';
import { demandOneDefaultPriority, resolvePriority } from './priority.js';
import { allocateServiceAddresses } from './service-addresses.js';
import { protectStorage } from './storage-protection.js';

/** The hooks that every cluster runs, in order. Call it once per cluster: some remember what they handed out. */
export function builtInAdmission(): AdmissionHook[] {
  return [
    applyLimitDefaults,
    defaultServiceAccount,
    resolvePriority,
    demandOneDefaultPriority,
    addDefaultTolerations,
    defaultStorageClass,
    protectStorage,
    allocateServiceAddresses(),
  ];
}
