import { createFeatureGate, type FeatureGate } from '@slipway/feature-gates';
import { metricText } from '@slipway/feature-gates/metrics';

/** Formats the status page in the form of Kubernetes' own components, so that readers of theirs can read this one. */
export function processPage(gate: FeatureGate, startedMs: number): string {
  const { component, binaryVersion: binary } = gate;
  const labels = { binary, component, emulation: binary, min_compat: binary };
  return [
    gate.metrics(),
    metricText('process_start_time_seconds', 'gauge', 'Start time of the process in seconds since the epoch.', [
      { value: startedMs / 1_000 },
    ]),
    metricText('version_info', 'gauge', 'Version of the process; always 1.', [{ labels, value: 1 }]),
  ].join('');
}

/** @throws FeatureGateError */
export function gateOf(featureGates: string | undefined): FeatureGate {
  const gate = createFeatureGate({ component: 'slipway-pulls', version: '0.1' });
  gate.add({ ParallelImagePullLimit: [{ version: '0.1', stage: 'Alpha', default: true }] });
  if (featureGates !== undefined) gate.set(featureGates);
  return gate;
}
