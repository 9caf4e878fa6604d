import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** The folders of a package, ground floor first: each may import those before it, types included. */
const floors: Readonly<Record<string, readonly string[]>> = {
  balloons: [
    'planner',
    'api',
    'settings',
    'pods',
    'nodes',
    'actuators',
    'ticket',
    'priority',
    'gates',
    'install',
    'world',
    'metrics',
    'canary',
    'autosize',
    'partition',
    'policies',
    'views',
    'resize',
    'controllers',
    'testing',
    'simulation',
  ],
};

const packages = fileURLToPath(new URL('../packages/', import.meta.url));

test.each(Object.entries(floors))('%s: each folder imports only the folders below it', (name, rooms) => {
  const source = join(packages, name, 'src');
  const imports = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && file.includes('/'))
    .flatMap((file) => targetsOf(join(source, file)).map((target) => ({ file, target: relative(source, target) })))
    .filter(({ target }) => !target.startsWith('..'));
  const roomOf = (path: string) => path.split('/')[0] ?? '';
  const upward = imports.filter(({ file, target }) => {
    const [from, to] = [rooms.indexOf(roomOf(file)), rooms.indexOf(roomOf(target))];
    const isTest = file.endsWith('.test.ts');
    return from === -1 || to === -1 || (to > from && !(isTest && roomOf(target) === 'testing'));
  });
  expect(upward).toEqual([]);
  expect(imports.length).toBeGreaterThan(0);
});

function targetsOf(file: string): readonly string[] {
  const found = readFileSync(file, 'utf8').matchAll(/from\s+'(\.[^']+)'|import\('(\.[^']+)'\)/g);
  return [...found].map(([, direct, lazy]) => join(dirname(file), direct ?? lazy ?? ''));
}
