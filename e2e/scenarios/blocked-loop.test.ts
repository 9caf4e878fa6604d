import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

// Each blocks the process for good.
const loops = [
  ['a synchronous loop', 'function spinForever() { for (;;); } setTimeout(spinForever, 500);', 'spinForever'],
  [
    'promises that never wait for I/O',
    'const hop = async () => {}; async function hopForever() { for (;;) await hop(); } setTimeout(hopForever, 500);',
    'hopForever',
  ],
] as const;

test.each(loops)('watchEventLoop() names the function that blocks the process: %s', async (_what, code, name) => {
  const program = `import { watchEventLoop } from '@slipway/devcluster'; watchEventLoop(); setInterval(() => {}, 100); ${code}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  const [line] = await once(child.stderr, 'data');
  child.kill('SIGKILL');
  expect(String(line)).toMatch(/^warning: the event loop has been blocked for 1 s by /);
  expect(String(line)).toContain(`${name} (`);
});
