import { nouns } from '../../packages/cli/dist/command-line.js';
import { main } from '../../packages/cli/dist/run-command.js';
import { Interrupted } from '../../packages/cli/dist/runtime/exit.js';

// Runs `slipway up` any number of times in one process, so that a later cluster starts with code that is loaded and compiled.
// A message is { id, words } or { id, stop: true }. Answers are { id, stdout } and { id, stderr } as they are written, and
// { id, code } at the end. Ends when its parent does.

/** @type {Map<number, AbortController>} */
const running = new Map();

/** @param {number} id @param {object} what */
const say = (id, what) => process.connected && process.send({ id, ...what });

/** @param {number} id */
function terminalOf(id) {
  return {
    out: (answer) => say(id, { stdout: typeof answer === 'string' ? answer : answer.text }),
    err: (text) => say(id, { stderr: text }),
    draw() {},
    interactive: false,
    progress: false,
    canAsk: false,
    columns: 80,
    ask: async () => '',
  };
}

process.setMaxListeners(0);
process.on('disconnect', () => process.exit());
process.on('message', async ({ id, words, stop }) => {
  if (stop) return running.get(id)?.abort(new Interrupted('SIGTERM'));
  const over = new AbortController();
  running.set(id, over);
  const code = await main(words, nouns, terminalOf(id), over.signal);
  running.delete(id);
  say(id, { code });
});
