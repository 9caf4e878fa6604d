import { builtInTasks, TaskCatalog } from '@slipway/features';
import { isUncounted } from '@slipway/features/views';
import { expect, test } from 'vitest';
import type { Terminal } from '../../runtime/terminal.js';
import { requireAgreement } from './agree.js';
import { renderTasks } from './views/render-plan.js';

const clear = { name: 'clear', kind: 'ClearField', destructive: true };
const drain = { name: 'drain', kind: 'Webhook', destructive: true };
const look = { name: 'look', kind: 'Job' };

test('a plan says which of its tasks change objects that cannot be counted, and so does the question', async () => {
  const lines = renderTasks([clear, drain, look] as never, [{ task: 'clear', count: 2 }]).split('\n');
  expect(lines.map((line) => line.replace(/^.*?: [^:]*/, ''))).toEqual([
    ': 2 objects',
    ': objects cannot be counted, only the program it runs knows them',
    '',
    '',
  ]);
  const asked: string[] = [];
  const terminal = {
    canAsk: true,
    ask: async (question: string) => {
      asked.push(question);
      return '2';
    },
  } as unknown as Terminal;
  await requireAgreement({ count: 2, tasks: [clear, drain, look] }, 'look', terminal);
  await requireAgreement({ count: 2, tasks: [clear, look] }, 'look', terminal);
  expect(asked).toEqual([
    'Type the number of objects it changes (2) to agree, and to whatever drain changes: ',
    'Type the number of objects it changes (2) to agree: ',
  ]);
});

test('isUncounted() knows the destructive kinds that can be counted', () => {
  const catalog = new TaskCatalog(builtInTasks());
  for (const kind of catalog.authored()) {
    const isCounted = catalog.get(kind)?.extent !== undefined || kind === 'RemoveCRD';
    expect([kind, isUncounted({ kind, destructive: true })]).toEqual([kind, !isCounted]);
  }
});
