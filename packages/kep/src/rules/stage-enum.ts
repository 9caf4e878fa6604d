import { reportEnum } from '../facts/report-enum.js';
import { defineRule } from '../facts/rule.js';
import { stages } from '../metadata/stage.js';

/** What is asked of the proposal depends on it. */
export const stageEnum = defineRule({
  id: 'KEP505',
  slug: 'stage-enum',
  summary: 'The stage is a known one',
  of: 'kep',
  severity: { draft: 'error', gated: 'error' },
  whenFrozen: true,
  hard: true,
  check({ yaml }, report) {
    const stage = yaml?.one('stage');
    if (!stage || (stages as readonly string[]).includes(stage.value)) return;
    reportEnum(stage, stages, 'stage', report);
  },
});
