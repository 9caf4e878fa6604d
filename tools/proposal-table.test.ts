import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const repository = fileURLToPath(new URL('../', import.meta.url));
const page = readFileSync(`${repository}keps/sig-api-machinery/3920-finish-features/proposal.md`, 'utf8');

/** The three cells of each row, without heads and rules. */
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| what is asked for'))
  .map((line) => line.slice(2, -2).split(' | '));

const pathsIn = (cell: string) => [...cell.matchAll(/`([^`]+\/[^`]+)`/g)].map(([, path = '']) => path);

function inRepository(path: string): string {
  const [first = '', ...rest] = path.split('/');
  const packaged = ['features', 'feature-gates'].includes(first);
  return `${repository}${packaged ? ['packages', first, 'src', ...rest].join('/') : path}`;
}

test('the table of the proposal covers all its sections', () => {
  const sections = [...page.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
  expect(sections).toEqual(['Summary and goals', 'Client flow', 'API', 'Server flow', 'User stories', 'Notes, risks']);
  expect(rows.length).toBeGreaterThan(50);
});

test.each(rows)('%s', (asked, where = '', shown = '') => {
  expect([pathsIn(where).length, pathsIn(shown).length], `${asked} names a place and a proof`).not.toContain(0);
  for (const path of [...pathsIn(where), ...pathsIn(shown)]) {
    expect(existsSync(inRepository(path)), `${path} is there`).toBe(true);
  }
});
