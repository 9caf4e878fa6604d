import { defineRule } from '../facts/rule.js';
import { minorOf } from '../metadata/kep-yaml.js';

/** The release team takes one, the board shows the other. */
export const latestMilestoneVsStage = defineRule({
  id: 'KEP606',
  slug: 'latest-milestone-vs-stage',
  summary: '`latest-milestone` is the milestone of the stage',
  of: 'kep',
  severity: { draft: 'off', gated: 'warn' },
  check({ yaml }, report) {
    const latest = yaml?.one('latest-milestone');
    const stage = yaml?.one('stage');
    const planned = yaml?.milestones.get(stage?.value ?? '');
    if (!latest || !stage || !planned || minorOf(latest.value) === undefined || minorOf(planned.value) === undefined)
      return;
    if (minorOf(latest.value) !== minorOf(planned.value))
      report({
        file: 'yaml',
        span: latest,
        message: `latest-milestone is ${latest.value}, and milestone.${stage.value} is ${planned.value}`,
      });
  },
});
