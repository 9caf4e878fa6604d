import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../../', import.meta.url));

/** Path of the test that the README of an example says to run with `node --test FILE`. A folder works on Node 20 only. */
export function testOfExample(name: string): string {
  const readme = readFileSync(join(repository, 'examples', name, 'README.md'), 'utf8');
  const [, file] = /^ {4}node --test (\S+\.test\.js)$/m.exec(readme) ?? [];
  if (file === undefined) throw new Error(`the README of ${name} names no test file to run`);
  return join(repository, file);
}
