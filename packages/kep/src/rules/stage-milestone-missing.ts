import { defineRule } from '../facts/rule.js';
import { setMilestone } from '../metadata/edit.js';
import { minorOf } from '../metadata/kep-yaml.js';
import { stages } from '../metadata/stage.js';

/** It is unclear when it was, or will be, available. */
export const stageMilestoneMissing = defineRule({
  id: 'KEP607',
  slug: 'stage-milestone-missing',
  summary: 'The stage has a milestone',
  of: 'kep',
  severity: { draft: 'off', gated: 'warn' },
  check({ yaml }, report) {
    const stage = yaml?.one('stage');
    const latest = yaml?.one('latest-milestone');
    if (!yaml || !stage || !(stages as readonly string[]).includes(stage.value) || yaml.milestones.has(stage.value))
      return;
    const canFix = yaml.problems.length === 0 && minorOf(latest?.value) !== undefined;
    const fix =
      canFix && latest
        ? { safety: 'safe' as const, edits: [setMilestone(yaml, stage.value, `v1.${minorOf(latest.value)}`)] }
        : undefined;
    report({
      file: 'yaml',
      span: stage,
      message: `the stage is ${stage.value}, and milestone.${stage.value} is missing`,
      fix,
    });
  },
});
