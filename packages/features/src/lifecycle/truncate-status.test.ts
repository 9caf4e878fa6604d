import { expect, test } from 'vitest';
import { aSituation } from '../testing/a-situation.js';
import { step } from './step.js';
import { truncateStatus } from './truncate-status.js';

test('truncateStatus() drops samples before history, and never a task', () => {
  const { status } = step(aSituation('On', { spec: { desired: 'Off' } }));
  expect(truncateStatus(status)).toBe(status);
  const component = status.uses?.components[0];
  const sample = { process: 'p'.repeat(3_000), value: 'on' } as const;
  const past = {
    id: 'i',
    to: 'On',
    cause: 'c'.repeat(3_000),
    startedAt: '',
    endedAt: '',
    result: 'Completed',
  } as const;
  const many = <T>(one: T) => Array.from({ length: 5 }, () => one);
  if (!component || !status.uses) throw new Error('no component');

  const talkative = { ...status, uses: { ...status.uses, components: [{ ...component, samples: many(sample) }] } };
  const shortened = truncateStatus({ ...talkative, history: many({ ...past, cause: '' }) });
  expect(shortened.uses?.components[0]?.samples).toEqual([]);
  expect(shortened.history).toHaveLength(5);

  const longest = truncateStatus({ ...talkative, history: [...many(past), past] });
  expect(longest.history).toBeUndefined();
  expect(longest.transition).toEqual(status.transition);
});
