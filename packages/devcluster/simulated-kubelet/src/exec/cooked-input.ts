import { StringDecoder } from 'node:string_decoder';
import type { Terminal } from '@slipway/kube-objects/node-connection/terminal';
import { type Input, inputFrom } from './input.js';

/** Keys that a terminal keeps to itself. */
export const keys = { interrupt: '\x03', end: '\x04', backspace: '\b', remove: '\x7f' };

/**
 * Cooks a keyboard's input for a program without terminal support: echoes it, passes it on by lines, and ends it at
 * Ctrl-D.
 * @param interrupt called by Ctrl-C
 */
export function cookedInput(keyboard: Terminal, show: (text: string) => void, interrupt: () => void): Input {
  const decoder = new StringDecoder();
  let line = '';
  const press = (key: string, onBytes: (bytes: Buffer) => void, onEnd: () => void) => {
    if (key === keys.interrupt) {
      show('^C\n');
      interrupt();
      onEnd();
    } else if (key === keys.end && line === '') onEnd();
    else if (key === '\r' || key === '\n' || key === keys.end) {
      if (key !== keys.end) show('\n');
      onBytes(Buffer.from(key === keys.end ? line : `${line}\n`));
      line = '';
    } else if (key === keys.backspace || key === keys.remove) {
      if (line !== '') show('\b \b');
      line = [...line].slice(0, -1).join('');
    } else if (key >= ' ') {
      line += key;
      show(key);
    }
  };
  return inputFrom({
    listen: (onBytes, onEnd) =>
      keyboard.listen((bytes) => {
        for (const key of decoder.write(bytes)) press(key, onBytes, onEnd);
      }, onEnd),
  });
}
