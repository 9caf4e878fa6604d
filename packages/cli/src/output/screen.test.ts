import { expect, test } from 'vitest';
import { screenOf } from './screen.js';

const tty = (columns: number) => ({ isTTY: true, columns });

test.each([
  ['no terminal', {}, { COLUMNS: '40', TERM: 'xterm' }, undefined, false],
  ['a terminal', tty(140), { TERM: 'xterm' }, 140, true],
  ['COLUMNS', tty(140), { COLUMNS: '60' }, 60, true],
  ['COLUMNS that is not a number', tty(140), { COLUMNS: 'wide' }, 140, true],
  ['a terminal that does not say its width', tty(0), {}, 80, true],
  ['NO_COLOR', tty(80), { NO_COLOR: '1' }, 80, false],
  ['an empty NO_COLOR', tty(80), { NO_COLOR: '' }, 80, true],
  ['TERM=dumb', tty(80), { TERM: 'dumb' }, 80, false],
])('screenOf() with %s', (_, stdout, env, columns, colours) => {
  expect(screenOf({ stdout, env })).toEqual({ columns, colours });
});
