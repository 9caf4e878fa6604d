/**
 * What people are shown of a Feature, in the same words wherever they look: the command, the console. Reads no clock and
 * does no I/O, so that it runs in a browser, too.
 */
export { type FeatureRow, featureRow, type UpgradeWord } from './views/feature-row.js';
export { type FeatureTrait, featureTraits } from './views/feature-traits.js';
export { type NextStep, nextStepOf } from './views/next-step.js';
export { isUncounted, type PlanLine, planLines } from './views/plan-lines.js';
export { type Remedy, reasonRemedies } from './views/reason-remedies.js';
export { coverageInWords, firstGates } from './views/verdict-coverage.js';
export { verdictSentence } from './views/verdict-sentence.js';
