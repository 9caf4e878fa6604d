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

// kinds of init containers | their states | states of the others | both after the pod was stopped, ? for unknown
test.each<[string, State[], State[], string]>([
  ['', [], ['w', 'ok'], '| ? ok'],
  ['i i', ['w', 'w'], ['w'], '? w | w'],
  ['i i', ['ok', 'w'], ['w'], 'ok w | w'],
  ['s i', ['w', 'no'], ['w'], '? no | w'],
  ['s i', ['ok', 'ok'], ['w'], 'ok ok | ?'],
  ['i s', ['ok', 'ok'], ['w'], 'ok ok | w'],
  ['i s', ['ok', 'ok'], ['w', 'no'], 'ok ok | ? no'],
])('withNeverStarted() of init containers %j in %j and others in %j', (kinds, init, main, expected) => {
  const initContainers = kinds.split(' ').map((kind) => (kind === 's' ? { restartPolicy: 'Always' } : {}));
  const after = withNeverStarted({ spec: { initContainers } } as never, {
    init: statusesOf(init),
    main: statusesOf(main),
  });
  const short = ({ state }: { state: { waiting?: unknown; terminated?: { exitCode: number; reason?: string } } }) =>
    state.waiting ? 'w' : state.terminated?.reason ? '?' : state.terminated?.exitCode === 0 ? 'ok' : 'no';
  expect([...after.init.map(short), '|', ...after.main.map(short)].join(' ')).toBe(expected);
});
