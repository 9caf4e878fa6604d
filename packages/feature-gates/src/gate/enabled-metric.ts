import { type Stage, stageLabel } from './specs.js';

/** One gate as a metric shows it. */
export interface MetricGate {
  readonly name: string;
  readonly stage: Stage;
  readonly enabled: boolean;
}

/** The family `kubernetes_feature_enabled` in the Prometheus text format, gates in the order given. */
export function enabledMetric(gates: readonly MetricGate[]): string {
  const samples = gates.map(
    ({ name, stage, enabled }) =>
      `kubernetes_feature_enabled{name=${JSON.stringify(name)},stage="${stageLabel(stage)}"} ${enabled ? 1 : 0}\n`,
  );
  return [
    '# HELP kubernetes_feature_enabled [BETA] Whether a feature gate is on in this process, by name and stage.\n',
    '# TYPE kubernetes_feature_enabled gauge\n',
    ...samples,
  ].join('');
}
