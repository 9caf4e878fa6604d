import { arithmeticValue } from './arithmetic.js';
import type { Program } from './process.js';
import { ScriptError } from './shell-grammar.js';

const maxNumbers = 100_000;

/** Programs that compute. */
export const numberCommands: Readonly<Record<string, Program>> = {
  expr({ out, err }, args) {
    try {
      const single = args.length === 1 ? args[0] : undefined;
      const value =
        single ?? String(arithmeticValue(args.map((each) => (each === '=' ? '==' : each)).join(' '), () => undefined));
      out(`${value}\n`);
      return value === '0' || value === '' ? 1 : 0;
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error;
      err('expr: syntax error\n');
      return 2;
    }
  },
  seq({ out, err }, args) {
    const numbers = args.map(Number);
    const [first, step, last] =
      numbers.length === 3 ? numbers : numbers.length === 2 ? [numbers[0], 1, numbers[1]] : [1, 1, numbers[0]];
    if (first === undefined || last === undefined || !step || numbers.some((each) => !Number.isSafeInteger(each))) {
      err('seq: invalid number\n');
      return 1;
    }
    const count = Math.min(maxNumbers, Math.floor((last - first) / step) + 1);
    const all = Array.from({ length: Math.max(0, count) }, (_, index) => `${first + index * step}\n`);
    out(all.join(''));
    return 0;
  },
};
