import type { GateWarning } from './gate/resolve.js';
import type { GateClock } from './uses/clock.js';
import type { ReportingOptions } from './uses/reporter.js';
import type { GateTransport } from './uses/transport.js';

/** How `createFeatureGate` is told who asks. */
export interface FeatureGateOptions {
  /** Name of the process's kind, for example `kube-scheduler` or `acme-operator`. */
  readonly component: string;
  /** Version of the program, for example `1.4` or `v1.34.2`. */
  readonly version: string;
  /** Version to behave like. The program's own when absent. */
  readonly emulationVersion?: string | undefined;
  /** Oldest version to stay compatible with. One minor below the emulated one when absent. */
  readonly minCompatibilityVersion?: string | undefined;
  /**
   * Strict gates differ from upstream where upstream surprises: sweeps respect locks,
   * a later sweep replaces an earlier one, and settings that were refused are forgotten.
   */
  readonly strict?: boolean | undefined;
  /** Told what an operator should know. `console.warn` of the message when absent. */
  readonly onWarning?: ((warning: GateWarning) => void) | undefined;
}

/** How `FeatureGate.startReporting` is told where and as whom to report. */
export interface StartReportingOptions extends Omit<ReportingOptions, 'transport'> {
  /** The API server as a pod finds it when absent. */
  readonly transport?: GateTransport | undefined;
  /**
   * Patterns of the declared gates that may take published values, such as `*`: the
   * operator's part of the consent, `--dynamic-features`. None when absent.
   */
  readonly dynamicFeatures?: readonly string[] | undefined;
  /** Labels of the process's node or pod, which the selectors of a canary speak of. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** File that keeps the published values for a start without the API. */
  readonly cacheFile?: string | undefined;
}

/** How `FeatureGate.recall` is told what to take, as in `StartReportingOptions`. */
export interface RecallOptions {
  readonly cacheFile: string;
  readonly dynamicFeatures: readonly string[];
  readonly clock?: GateClock | undefined;
}
