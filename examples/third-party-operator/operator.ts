import {
  createFeatureGate,
  type FeatureGate,
  type Reporting,
  type StartReportingOptions,
} from '@slipway/feature-gates';

/** The operator's gate, set by its own `--feature-gates` flag. */
export function operatorGate(flag: string): FeatureGate {
  const gate = createFeatureGate({ component: 'acme-operator', version: '1.0' });
  gate.add({ FastPath: [{ version: '1.0', stage: 'Alpha', default: false }] });
  gate.set(flag);
  return gate;
}

/** Reports as the pod it runs in. Inside of a cluster nothing more is needed; tests that stand in for a pod need `more`. */
export function report(gate: FeatureGate, podName: string, more: Partial<StartReportingOptions> = {}): Reporting {
  return gate.startReporting({ namespace: 'acme', instance: podName, ...more });
}
