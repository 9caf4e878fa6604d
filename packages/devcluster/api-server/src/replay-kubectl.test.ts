import { kubectlFor, type Run } from '@slipway/devcluster/testing/kubectl-server';
import { beforeEach, expect, test } from 'vitest';
import { needs } from '../../../../tools/real-parts.js';
import { kubectlDifferences } from './testing/replay/known-differences.js';
import { Placeholders } from './testing/replay/placeholders.js';
import { fixtureDefinitions, type KubectlStep, type Step, scenariosOf } from './testing/replay/recording.js';
import { compareAnswer, requestOf, send } from './testing/replay/replay-scenario.js';
import { recordedServer } from './testing/replay/subject.js';

const known = new Set(kubectlDifferences.flatMap(({ steps }) => steps));
// What is watched while others write is looked at in the topic `watch`.
const scenarios = scenariosOf('kubectl').filter(({ name }) => !name.endsWith('.watch'));

beforeEach((context) => needs(context, 'kubectl'));

test.each(scenarios)(
  'kubectl prints what it printed of a real server: $name',
  { timeout: 60_000 },
  async (scenario) => {
    const fixtures = fixtureDefinitions();
    using subject = await recordedServer([...fixtures.values()]);
    await using kubectl = await kubectlFor(subject.api, `r-${scenario.name.replaceAll('.', '-')}`);
    const values = new Placeholders();
    const different: string[] = [];
    for (const step of scenario.steps) {
      // Who wrote last is told by the second.
      await subject.clock.advance(1_000);
      let found: string[];
      if (isCommand(step)) {
        const { args, stdin, env } = step.request;
        found = compareRun(step, await kubectl.run(args, stdin, env), values);
      } else {
        found = compareAnswer(step, await send(subject, requestOf(step, values)), values);
      }
      if (found.length === 0) continue;
      different.push(step.id);
      if (process.env.SLIPWAY_REPLAY_REPORT === '1')
        console.log(`${step.id}${known.has(step.id) ? ' (known)' : ''}\n  ${found.join('\n  ')}`);
    }
    expect(different.filter((id) => !known.has(id))).toEqual([]);
  },
);

function isCommand(step: Step | KubectlStep): step is KubectlStep {
  return 'args' in step.request;
}

function compareRun({ response }: KubectlStep, run: Run, values: Placeholders): string[] {
  const found = response.exit === run.exit ? [] : [`exit: expected ${response.exit}, got ${run.exit}`];
  for (const stream of ['stdout', 'stderr'] as const) {
    const [expected, actual] = [tidy(response[stream]), tidy(run[stream])];
    if (!values.matches(expected, actual))
      found.push(`${stream}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`);
  }
  return found;
}

/** Widths of columns depend on ages, and ages on when one looks; complaints come in any order. */
function tidy(text: string): string {
  const plain = text
    .replace(/(?<= )(?:\d+[smhdy])+(?=\s|$)/g, '<age>')
    .replace(/(?<=LIVE-|MERGED-)\d+/g, '<n>')
    .replace(/\t(?:<time>|\d{4}-\d\d-\d\d .*)$/gm, '')
    .replace(/ +/g, ' ')
    .replace(/ $/gm, '');
  return plain.replace(/(?:^\* .*\n)+/gm, (lines) =>
    lines
      .split(/(?<=\n)/)
      .sort()
      .join(''),
  );
}
