import {
  ChangeRefusedError,
  type ConsentedObjects,
  type ConsentOptions,
  consentMs,
  type PlannedTask,
} from '@slipway/features';
import { isUncounted } from '@slipway/features/views';
import { CommandError, exit } from '../../runtime/exit.js';
import type { Terminal } from '../../runtime/terminal.js';
import type { WaitOptions } from '../../runtime/wait.js';

/** Consent holds for an hour, or for as long as the command waits for what it agreed to. */
export function consentOptions({ wait, timeout }: WaitOptions, signal: AbortSignal): ConsentOptions {
  return { forMs: wait ? Math.max(consentMs, timeout) : consentMs, signal };
}

/** What the plan does to objects of users. */
export interface Demanded {
  readonly count: number;
  readonly tasks: readonly Pick<PlannedTask, 'name' | 'kind' | 'destructive'>[];
}

/** Asks a person to agree, by typing the number of objects. @throws CommandError without a terminal or without agreement. */
export async function requireAgreement({ count, tasks }: Demanded, look: string, terminal: Terminal): Promise<void> {
  if (!terminal.canAsk) {
    throw new CommandError(
      exit.usage,
      'the plan changes objects of users, and there is no terminal to agree on',
      'add --yes',
    );
  }
  const open = tasks.filter(isUncounted).map(({ name }) => name);
  const more = open.length === 0 ? '' : `, and to whatever ${open.join(', ')} changes`;
  const typed = await terminal.ask(`Type the number of objects it changes (${count}) to agree${more}: `);
  if (typed.trim() !== String(count)) throw new CommandError(exit.no, 'nothing was changed', look);
}

/** Counts the objects that tasks change; an object that two tasks change counts twice. */
export function totalOf(objects: readonly ConsentedObjects[]): number {
  return objects.reduce((sum, { count }) => sum + count, 0);
}

/** Reports a refusal of the feature server's rules as a negative answer, with what to do; everything else as it is. */
export function explainRefusal(fix: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof ChangeRefusedError)) throw error;
    throw new CommandError(exit.no, error.message, error.fix ?? fix, { cause: error });
  };
}
