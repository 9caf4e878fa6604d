import { Content } from '../output/content.js';
import type { Terminal } from '../runtime/terminal.js';

/** A terminal without a user, and what was written to it. */
export function recordedTerminal(): { readonly terminal: Terminal; readonly written: { out: string; err: string } } {
  const written = { out: '', err: '' };
  const terminal: Terminal = {
    out: (answer) => {
      written.out += answer instanceof Content ? answer.text : answer;
    },
    err: (text) => {
      written.err += text;
    },
    draw: (to, text) => {
      written[to === 'stdout' ? 'out' : 'err'] += text;
    },
    interactive: false,
    progress: false,
    canAsk: false,
    columns: 100,
    ask: () => Promise.reject(new Error('no user is there')),
  };
  return { terminal, written };
}
