import { defineRule } from '../facts/rule.js';

/** `implemented` says that nothing is left to do, and beta says that something is. */
export const implementedNeedsFinalStage = defineRule({
  id: 'KEP506',
  slug: 'implemented-needs-final-stage',
  summary: 'What is implemented is at its last stage',
  of: 'kep',
  severity: { draft: 'off', gated: 'error' },
  check({ yaml }, report) {
    const stage = yaml?.one('stage');
    if (
      yaml?.one('status')?.value !== 'implemented' ||
      !stage ||
      !['alpha', 'beta', 'deprecated'].includes(stage.value)
    )
      return;
    report({ file: 'yaml', span: stage, message: `the status is implemented and the stage is only ${stage.value}` });
  },
});
