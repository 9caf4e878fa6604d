import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import { eventually } from '../slipway.js';
import { comparableObjects } from './comparable-objects.js';
import type { Act, Side } from './side.js';

/** Two clusters that do the same, and the kinds of objects that both must have alike. */
export interface Stage {
  readonly real: Side;
  readonly ours: Side;
  /** As `kubectl get` takes them. */
  readonly kinds: string;
}

/** A cluster that changes nothing for so long has come to rest. */
const restMs = 1_500;
const atOnce = 6;

/** The name of a story, for which `STORY` stands in it. */
export function storyName(index: number): string {
  return `story-${index}`;
}

/**
 * Plays stories beside each other, each in a namespace of its own, whose name stands for `STORY` in its acts. After each
 * act both clusters must come to rest with the same objects.
 */
export async function playStories(stage: Stage, stories: readonly (readonly Act[])[]): Promise<void> {
  const waiting = stories.map((acts, index) => ({ acts, namespace: storyName(index) }));
  const play = async () => {
    for (let story = waiting.shift(); story; story = waiting.shift()) {
      const { acts, namespace } = story;
      await playStory(stage, JSON.parse(JSON.stringify(acts).replaceAll('STORY', namespace)), namespace);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, play));
}

async function playStory(stage: Stage, acts: readonly Act[], namespace: string): Promise<void> {
  const sides = [stage.real, stage.ours];
  for (const side of sides) {
    await side.kubectl(['create', 'namespace', namespace]);
    const account = ['get', 'serviceaccount', 'default', '-n', namespace];
    await eventually('the account is there', async () => (await side.kubectl(account)).code === 0);
  }
  const done: string[] = [];
  for (const { words, stdin } of acts) {
    done.push(`${words.join(' ')} ${stdin ? JSON.stringify(stdin) : ''}`);
    const outcomes = await Promise.all(sides.map((side) => side.kubectl([...words, '-n', namespace], stdin)));
    expect(outcomes[1]?.code, `${done.join('\n')}\n${outcomes.map(({ stderr }) => stderr)}`).toBe(outcomes[0]?.code);
    await settled(stage, namespace, done);
  }
}

async function settled({ real, ours, kinds }: Stage, namespace: string, done: readonly string[]): Promise<void> {
  let before: unknown;
  const what = `both have the same objects after\n${done.join('\n')}`;
  const areAlike = async () => {
    const compared = [real, ours].map((side) => comparableObjects(side, namespace, kinds));
    const [theirs, own] = await Promise.all(compared);
    const isAtRest = JSON.stringify(theirs) === before;
    before = JSON.stringify(theirs);
    expect(own).toEqual(theirs);
    if (!isAtRest) await setTimeout(restMs);
    return isAtRest;
  };
  await eventually(what, areAlike, 90_000);
}
