import type { Target } from './target.js';

/** Brings a published value to ever more processes, and takes it back when that does harm. */
export interface Canary {
  /** In order, at most eight. After the last one all processes take the value. */
  readonly steps: readonly CanaryStep[];
}

/** Which processes take the value next, by share or by labels of their nodes or pods, and what must hold before more do. */
export interface CanaryStep {
  readonly percent?: number;
  readonly selector?: { readonly matchLabels: Readonly<Record<string, string>> };
  /** How long to look on once all of them run it. Go duration; none when absent. */
  readonly bake?: string;
  /** A measurement by its name in the configuration of the feature server. Above `failAbove` the value is taken back. */
  readonly analysis?: { readonly name: string; readonly failAbove: number };
}

/** A canary was taken back. Nothing is tried again before something else is asked for. */
export interface CanaryFailure {
  /** Digest of what was asked for. */
  readonly wish: string;
  /** Where it was to go. */
  readonly to: Target;
  readonly message: string;
}
