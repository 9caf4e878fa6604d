import { type Feature, type Reason, reasons } from '@slipway/features';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { reasonRemedies } from '../../packages/features/src/views/reason-remedies.js';
import { hasPart, needs } from '../../tools/real-parts.js';
import { commandsOf, namespace, type RemedyCluster, remedyCluster, saying } from '../support/remedies.js';
import { remedyCases } from '../support/remedy-cases.js';
import { eventually } from '../support/slipway.js';

beforeEach((context) => needs(context, 'kubectl'));

let world: RemedyCluster;
beforeAll(async () => {
  if (hasPart('kubectl')) world = await remedyCluster();
}, 60_000);
afterAll(async () => await world?.[Symbol.asyncDispose]());

const cases = remedyCases(() => world);

/** Reasons whose remedy is in words, or whose situation is made elsewhere, with why. */
const inWords: Partial<Record<Reason, string>> = {
  NameCollision: 'whoever writes a component renames its gate; no command does',
  NoEvidence: 'as AwaitingEvidence, after its patience is over',
  Conflict: 'an administrator aligns the flags of processes; the command shows which',
  Silent: 'as Stragglers, of a feature that is settled',
  AuthorUnknown: 'slipway install, which install.test.ts runs; or an author writes the definition anew',
  UnknownTask: 'an operator upgrades the server; a definition is rejected before it gets there',
  StoredVersions: 'an administrator migrates what is stored in the version that the message names',
  MigrationFailed: 'the API server has to fail first; migrate-storage.test.ts follows the command',
  GuardRejected: 'as Definition; the type check of a real API server has to object',
};

test('every reason has a remedy that is followed here, is in words, or needs none', () => {
  const open = (Object.keys(reasons) as Reason[]).filter(
    (reason) => !('nothing' in reasonRemedies[reason]) && !cases[reason] && inWords[reason] === undefined,
  );
  expect(open).toEqual([]);
});

test.each(Object.entries(cases))(
  'what is printed for %s changes something',
  async (name, { arrange, edit, besides, which }) => {
    const reason = name as Reason;
    const gate = `Of${reason}`;
    await arrange(gate);
    const before = await eventually(`${gate} says ${reason}`, async () => {
      const found = await world.find(gate);
      return isSaid(found, reason) && saying(found, reason);
    }).catch(shownIn(gate));
    const shown = await world.slipway(['feature', 'get', gate, '-n', namespace]);
    const [, line = ''] = /^To fix: (.*)$/m.exec(shown.out) ?? [];
    const commands = commandsOf(line, which);
    expect(commands, shown.out).not.toEqual([]);
    await besides?.(gate);
    for (const command of commands) await world.follow(command, edit?.(gate));
    await eventually(`${line} changes something`, async () => saying(await world.find(gate), reason) !== before).catch(
      shownIn(gate),
    );
  },
);

/** Whether it is said, and where a reason that others share with it blocks. */
function isSaid(feature: Feature | undefined, reason: Reason): boolean {
  const conditions = saying(feature, reason);
  return reason === 'NoDefinition' ? conditions.includes('Blocked') : conditions !== '';
}

/** Fails with what a person sees of the feature. */
function shownIn(gate: string): (cause: unknown) => Promise<never> {
  return async (cause) => {
    throw new Error((await world.slipway(['feature', 'get', gate, '-n', namespace])).out, { cause });
  };
}
