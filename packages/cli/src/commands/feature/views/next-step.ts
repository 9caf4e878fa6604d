import type { Feature, ServerLiveness } from '@slipway/features';
import { nextStepOf } from '@slipway/features/views';

/** Writes what comes next, and where a person is needed a line that says what to do. */
export function nextStep(feature: Feature, servers: ServerLiveness): string {
  const { sentence, fix } = nextStepOf(feature, servers);
  return `Next: ${sentence}\n${fix === undefined ? '' : `To fix: ${fix}\n`}`;
}
