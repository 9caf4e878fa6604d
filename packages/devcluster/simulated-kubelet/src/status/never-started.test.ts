import { expect, test } from 'vitest';
import { withNeverStarted } from './never-started.js';

const states = {
  w: { waiting: { reason: 'PodInitializing' } },
  ok: { terminated: { exitCode: 0 } },
  no: { terminated: { exitCode: 1 } },
};
type State = keyof typeof states;
const statusesOf = (all: readonly State[]) =>
  all.map((state, index) => ({ name: `${index}`, state: states[state] }) as never);

// init containers, and whether they are through | the others | both after the pod was stopped, ? for unknown
test.each<[State[], boolean, State[], string]>([
  [[], true, ['w', 'ok'], '| ? ok'],
  [['w', 'w'], false, ['w'], '? w | w'],
  [['ok', 'w'], false, ['w'], 'ok w | w'],
  [['w', 'no'], false, ['w'], '? no | w'],
  [['ok', 'ok'], true, ['w'], 'ok ok | ?'],
  [['ok', 'ok'], false, ['w'], 'ok ok | w'],
  [['ok', 'ok'], false, ['w', 'no'], 'ok ok | ? no'],
])('withNeverStarted() of init containers %j, through: %s, and others %j', (init, isSetUp, main, expected) => {
  const after = withNeverStarted({ init: statusesOf(init), main: statusesOf(main) }, isSetUp);
  const short = ({ state }: { state: { waiting?: unknown; terminated?: { exitCode: number; reason?: string } } }) =>
    state.waiting ? 'w' : state.terminated?.reason ? '?' : state.terminated?.exitCode === 0 ? 'ok' : 'no';
  expect([...after.init.map(short), '|', ...after.main.map(short)].join(' ')).toBe(expected);
});
