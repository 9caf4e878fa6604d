import { runInSlices } from '@slipway/api-machinery/event-loop/run-in-slices';
import { Controller, type Discovery, type Reconciler, retryLostRaces } from '@slipway/kube';
import type { PolicySpec } from '@slipway/kube-objects/kinds/admission-policy';
import {
  type ValidatingAdmissionPolicy,
  validatingAdmissionPolicies,
} from '@slipway/kube-objects/kinds/api/admission-policies';
import type { WorkloadDeps } from '../workloads/workload-deps.js';
import { checkingTypes, type TypedKind } from './check-types.js';
import { kindType } from './kind-types.js';
import { type Kind, matchedKinds } from './matched-kinds.js';

/** Checks the expressions of each generation of a ValidatingAdmissionPolicy against the schemas of the kinds it is about. */
export function policyStatusController(deps: WorkloadDeps): Controller {
  return new Controller({
    ...deps,
    name: 'validatingadmissionpolicy-status-controller',
    for: validatingAdmissionPolicies,
    reconcile: retryLostRaces(policyStatusReconciler(deps)),
  });
}

function policyStatusReconciler({ kube, informers }: Omit<WorkloadDeps, 'log'>): Reconciler {
  const policies = informers.informer(validatingAdmissionPolicies);
  const client = kube.resource(validatingAdmissionPolicies);

  return async (ref, { signal }) => {
    const policy = policies.lister.get(ref);
    const generation = policy?.metadata.generation ?? 0;
    if (!policy || generation <= (policy.status?.observedGeneration ?? 0)) return;
    const discovery = await kube.discover(signal);
    const kinds = matchedKinds(policy.spec.matchConstraints?.resourceRules ?? [], discovery);
    const typed = await Promise.all(kinds.map((kind) => typedKind(kind)));
    const params = paramKindOf(policy.spec, discovery);
    const known = typed.filter((kind) => kind !== undefined);
    const ofParams = params && (await kindType(kube.transport, params, signal));
    const warnings = await runInSlices(checkingTypes(policy.spec, known, ofParams));
    const typeChecking = warnings.length === 0 ? {} : { expressionWarnings: warnings };
    const status: ValidatingAdmissionPolicy['status'] = { observedGeneration: generation, typeChecking };
    await client.replaceStatus({ ...policy, status }, { signal });

    async function typedKind(kind: Kind): Promise<TypedKind | undefined> {
      const type = await kindType(kube.transport, kind, signal);
      return type && { ...kind, type };
    }
  };
}

function paramKindOf({ paramKind }: PolicySpec, { resources }: Discovery): Kind | undefined {
  if (!paramKind) return undefined;
  const [group, version] = paramKind.apiVersion.includes('/')
    ? paramKind.apiVersion.split('/')
    : ['', paramKind.apiVersion];
  return resources.find((one) => one.group === group && one.version === version && one.kind === paramKind.kind);
}
