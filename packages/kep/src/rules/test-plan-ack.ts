import { defineRule } from '../facts/rule.js';

/** It says that owners may ask for better tests of what is there before the change goes in. */
export const testPlanAck = defineRule({
  id: 'KEP210',
  slug: 'test-plan-ack',
  summary: 'The acknowledgement of the test plan is ticked',
  of: 'kep',
  severity: { draft: 'off', gated: 'warn' },
  check({ document }, report) {
    const item = document?.checklist.find(({ text }) => /^I\/we understand the owners/.test(text));
    if (item && !item.checked)
      report({ file: 'readme', span: item.box, message: 'the acknowledgement of the test plan is not ticked' });
  },
});
