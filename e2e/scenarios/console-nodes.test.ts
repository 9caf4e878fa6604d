import { expect, test } from 'vitest';
import { needs } from '../../tools/real-parts.js';
import { axeProblems, overhang, signIn, startConsole, watchedBrowser } from '../support/console.js';
import { handsOn } from '../support/hands-on-nodes.js';
import { eventually, up } from '../support/slipway.js';

const lonely = {
  apiVersion: 'features.slipway.dev/v1alpha1',
  kind: 'FeatureDefinition',
  metadata: { name: 'lonely', namespace: 'default' },
  spec: {
    gate: 'Lonely',
    components: [{ name: 'lonely', required: true, roster: 'Self' }],
    stages: [{ version: '1.37', stage: 'Beta', default: true }],
  },
};

test('the page of a node and Now say what node explain, node partition and feature get say', async (ctx) => {
  needs(ctx, 'Chromium');
  needs(ctx, 'kubectl');
  await using cluster = await up({ args: ['--ephemeral', '--shared-host', '16cpu/64Gi'], nodes: 3 });
  const on = handsOn(() => cluster);
  const said = async (...args: string[]) => {
    const { code, stdout, stderr } = await cluster.slipway(args);
    expect(code, stderr).toBe(0);
    return stdout;
  };
  const split = ['node', 'partition', '--host', 'lab-1'];
  await on.kubectl('label', 'node', 'n3', 'balloons.slipway.dev/host=lab-2', '--overwrite');
  await said(...split, '--weights', 'n1=2,n2=1', '--reserve', 'cpu=1,memory=4Gi', '--wait');
  await on.run('busy', 'n3', { cpu: '3', memory: '10Gi' });
  await on.isReady('busy');
  await on.resize('n3', { mode: 'Size', size: { cpu: '2', memory: '16Gi' } });
  await on.apply(lonely);

  await using console = await startConsole(cluster.kubeconfig);
  const { browser, page, complaints } = await watchedBrowser(console.url);
  await using _ = browser;
  await signIn(page, console.address);
  for (const node of ['n1', 'n3']) {
    await page.goto(`${console.url}/nodes/${node}`);
    await page.getByRole('region', { name: 'What comes next' }).waitFor();
    const missing = async () => {
      const [shown, explained] = [
        inOneLine(await page.locator('main').innerText()),
        await said('node', 'explain', node),
      ];
      return statementsOf(explained).filter((statement) => !shown.includes(statement));
    };
    await expect.poll(missing, { timeout: 30_000 }).toEqual([]);
    expect(await axeProblems(page)).toEqual([]);
    expect(await overhang(page, [390, 1440])).toEqual({ 390: 0, 1440: 0 });
  }

  await page.goto(`${console.url}/nodes/n1`);
  await page.getByRole('heading', { name: 'Machine lab-1' }).waitFor();
  await eventually('the shares of the machine are those of node partition', async () => {
    const machine = page.locator('section', { has: page.getByRole('heading', { name: 'Machine lab-1' }) });
    const shown = inOneLine(await machine.innerText());
    const lines = (await said(...split)).trim().split('\n');
    const [verdict = '', , ...shares] = lines;
    return [verdict.replace('lab-1: ', ''), ...shares].every((line) => shown.includes(inOneLine(line)));
  });

  await page.goto(console.url);
  const matter = (about: string) => page.locator('.matter', { has: page.getByRole('link', { name: about }) });
  for (const [about, ...command] of [
    ['n3', 'node', 'explain', 'n3'],
    ['Lonely', 'feature', 'get', 'Lonely'],
  ] as const) {
    await matter(about).waitFor();
    const [, why = '', step = ''] = await matter(about).locator('p, code').allInnerTexts();
    const answer = inOneLine(await said(...command));
    expect({ about, why: answer.includes(inOneLine(why)), answer }).toMatchObject({ why: true });
    const isNamed = answer.includes(inOneLine(step)) || step === `slipway ${command.join(' ')}`;
    expect({ about, step, isNamed }).toMatchObject({ isNamed: true });
  }
  expect(complaints).toEqual([]);
}, 300_000);

function inOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** What `slipway node explain` says, without headings, ages and how a table lies. */
function statementsOf(explained: string): string[] {
  return explained
    .split('\n')
    .filter((line) => line !== '' && !/^(?:Next: nothing|[A-Z]+\b.* [A-Z]+\b|Balloon pod:|Actuator:)/.test(line))
    .flatMap((line) => line.split(/ {2,}/))
    .map((cell) => inOneLine(cell.replace(/^(?:Node|State|Policy|Wanted):/, '')))
    .filter((cell) => cell !== '' && !/^<?none>?$/.test(cell) && !/^\d+[smhd]/.test(cell));
}
