import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { conditionTypes, reasons } from '@slipway/features';
import { expect, test } from 'vitest';

const page = fileURLToPath(new URL('../docs/reference/reasons.md', import.meta.url));

test('docs/reference/reasons.md explains every reason a Feature gives, and no other', () => {
  const rows = Object.entries(reasons).map(([reason, meaning]) => `| \`${reason}\` | ${meaning} |`);
  const text = `# Reasons

The same word stands in a condition of a Feature (${conditionTypes.join(', ')}), in the task that waits, in the event and in the
command's output. This page is written by its test: \`UPDATE_GOLDEN=1 npx vitest run tools/reasons.test.ts\`.

| reason | meaning |
|---|---|
${rows.join('\n')}
`;
  if (process.env.UPDATE_GOLDEN) writeFileSync(page, text);
  expect(readFileSync(page, 'utf8')).toBe(text);
});
