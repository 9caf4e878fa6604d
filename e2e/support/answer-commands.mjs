import { AsyncLocalStorage } from 'node:async_hooks';
import { runCommandLine } from '../../packages/cli/dist/command-line.js';

// Runs command lines as the built command does, many in one process, so that the code of each noun is loaded once. A message
// is { id, words, environment }; the answer to it { id, code, stdout, stderr }. Commands that run at the same time must have
// the same environment. Ends when its parent does.

/** What the command that is running has written. */
const written = new AsyncLocalStorage();
for (const name of ['stdout', 'stderr']) {
  const write = process[name].write.bind(process[name]);
  process[name].write = (chunk, ...rest) => {
    const answer = written.getStore();
    if (!answer) return write(chunk, ...rest);
    answer[name] += String(chunk);
    rest.find((one) => typeof one === 'function')?.();
    return true;
  };
}

// Every command listens for the signals that end it.
process.setMaxListeners(0);
process.on('disconnect', () => process.exit());
const own = { ...process.env };
process.on('message', ({ id, words, environment }) => {
  for (const name of Object.keys(process.env)) if (!(name in own)) delete process.env[name];
  Object.assign(process.env, own, environment);
  const answer = { id, code: null, stdout: '', stderr: '' };
  written.run(answer, async () => {
    answer.code = await runCommandLine(words);
    process.send(answer);
  });
});
