import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { clients } from './clients.mjs';
import { operators } from './operators.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

const page = readFileSync(`${root}docs/reference/parity.md`, 'utf8');

test('the parity page names the clients that are tried, with their versions', () => {
  for (const { name, version } of clients) expect(page).toContain(`${name} ${version}`);
});

test('the parity page lists the operators that are tried, with their versions', () => {
  const [, table = ''] = /\n\| operator \|.*\n\|---.*\n((?:\|.*\n)+)/.exec(page) ?? [];
  const rows = table.split('\n').filter(Boolean);
  const listed = rows.map((row) =>
    row
      .split('|')
      .slice(1, 3)
      .map((cell) => cell.trim()),
  );
  expect(listed).toEqual(operators.map(({ name, version }) => [name, version]));
});

test.for(operators)('$name has a sample and waits for something', ({ name, steps }) => {
  expect(existsSync(`${root}e2e/support/foreign/${name}.yaml`)).toBe(true);
  expect(steps.some((step) => step.startsWith('wait '))).toBe(true);
});
