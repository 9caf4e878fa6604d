import { declaredMetricText } from '../metrics/metric-text.js';
import { type Stage, stageLabel } from './specs.js';

/** One gate as a metric shows it. */
export interface MetricGate {
  readonly name: string;
  readonly stage: Stage;
  readonly enabled: boolean;
}

/** The family `kubernetes_feature_enabled` in the Prometheus text format, gates in the order given. */
export function enabledMetric(gates: readonly MetricGate[]): string {
  const help = '[BETA] Whether a feature gate is on in this process, by name and stage.';
  const samples = gates.map(({ name, stage, enabled }) => ({
    labels: { name, stage: stageLabel(stage) },
    value: enabled ? 1 : 0,
  }));
  return declaredMetricText('kubernetes_feature_enabled', 'gauge', help, samples);
}
