import { StringDecoder } from 'node:string_decoder';
import type { Terminal } from '@slipway/kube-objects/node-connection/terminal';
import { keys } from './cooked-input.js';
import type { Process } from './process.js';

const prompt = '/ # ';

/** A shell that people type into: it shows what they type, as a terminal in raw mode leaves that to it. Resolves with the exit code. */
export function interact(
  keyboard: Terminal,
  process: Process,
  run: (line: string) => Promise<number>,
): Promise<number> {
  const decoder = new StringDecoder();
  const { gone } = process;
  let line = '';
  let typedAhead = '';
  let running: AbortController | undefined;
  let code = 0;
  return new Promise((resolve, reject) => {
    const begin = async () => {
      const typed = line;
      line = '';
      running = new AbortController();
      process.gone = AbortSignal.any([gone, running.signal]);
      code = await run(typed);
      running = undefined;
      if (process.isOver || gone.aborted) return resolve(code);
      process.out(prompt);
      const ahead = typedAhead;
      typedAhead = '';
      take(ahead);
    };
    const press = (key: string) => {
      if (key === '\r' || key === '\n') {
        process.out('\n');
        begin().catch(reject);
      } else if (key === keys.interrupt) {
        line = '';
        process.out(`^C\n${prompt}`);
      } else if (key === keys.end) {
        if (line === '') resolve(code);
      } else if (key === keys.backspace || key === keys.remove) {
        if (line !== '') process.out('\b \b');
        line = [...line].slice(0, -1).join('');
      } else if (key >= ' ') {
        line += key;
        process.out(key);
      }
    };
    const take = (text: string) => {
      // Arrows and the like move nothing here.
      // biome-ignore lint/suspicious/noControlCharactersInRegex: that is how they begin
      const rest = [...text.replace(/\x1b\[[\d;]*[A-Za-z~]/g, '')];
      for (let key = rest.shift(); key !== undefined; key = rest.shift()) {
        if (!running) press(key);
        else if (key === keys.interrupt) {
          process.out('^C\n');
          running.abort();
        } else typedAhead += key;
      }
    };
    process.out(prompt);
    keyboard.listen(
      (bytes) => take(decoder.write(bytes)),
      () => {
        if (!running) resolve(code);
      },
    );
    gone.addEventListener('abort', () => resolve(code), { once: true });
  });
}
