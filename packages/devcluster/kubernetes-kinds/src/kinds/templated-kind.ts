import { workloadWarnings } from '../warnings/workload-warnings.js';
import { podGates } from './pod-gates.js';
import { strictTemplateAddresses } from './strict-addresses.js';

/** Returns the rules that all kinds with a pod template at `spec.PATH` share. */
export function templatedKind(...path: readonly string[]) {
  return {
    categories: ['all'],
    namespaced: true,
    generation: ['spec'],
    gatedRules: strictTemplateAddresses('spec', ...path),
    gatedFields: podGates(['spec', ...path, 'spec'].join('.')),
    warnings: workloadWarnings(...path),
  } as const;
}
