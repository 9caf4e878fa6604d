import { existsSync } from 'node:fs';
import {
  codeLenses,
  defaultConfig,
  diagnosticsOf,
  KepRepository,
  layoutOf,
  parseDocument,
  readSource,
  UpgradeRefusedError,
  upgradeToTemplate,
} from '@slipway/kep';
import MarkdownIt from 'markdown-it';
import { remark } from 'remark';
import { quantile, report } from './support/report.js';

/**
 * 650 proposals through all rules on one thread, reading alone beside markdown-it and remark, what an editor
 * waits for, and moving to the template of today. SLIPWAY_KEP_CORPUS names a checkout of kubernetes/enhancements.
 */
const corpus = process.env.SLIPWAY_KEP_CORPUS ?? '';
const layout = existsSync(corpus) ? layoutOf(corpus) : undefined;
if (!layout) {
  process.stdout.write(
    'kep: needs proposals. To run: set SLIPWAY_KEP_CORPUS to a checkout of kubernetes/enhancements\n',
  );
  process.exit(0);
}

const wanted = 650;
const found = new KepRepository(layout, defaultConfig).keps();
const texts = found.map(({ path }) => readSource(`${path}/README.md`, 2 * 1024 * 1024)?.text ?? '');
const megabytes = texts.reduce((sum, text) => sum + text.length, 0) / 1e6;
const scale = wanted / found.length;

function milliseconds(run: () => void, rounds = 3): number {
  const samples: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const started = performance.now();
    run();
    samples.push(performance.now() - started);
  }
  return quantile(samples, 0.5) * scale;
}

// As a command does it: cold, every file read once. The same proposals again stand for those that are not here.
const repository = new KepRepository(layout, defaultConfig);
let findings = 0;
const started = performance.now();
for (let at = 0; at < wanted; at++) {
  const each = repository.keps()[at % found.length];
  if (!each) break;
  const kep = repository.load(each);
  findings += repository.check(repository.facts(kep), kep).length;
}
const checkMs = performance.now() - started;
if (findings === 0) throw new Error('nothing was found');

const markdown = new MarkdownIt({ html: true });
const scan = milliseconds(() => {
  for (const text of texts) parseDocument(text);
});
const peer = milliseconds(() => {
  for (const text of texts) markdown.parse(text, {});
});
const resident = process.memoryUsage().rss / 1e6;

// remark takes long: every tenth text stands for all.
const some = texts.filter((_, at) => at % 10 === 0);
const share = texts.reduce((sum, text) => sum + text.length, 0) / some.reduce((sum, text) => sum + text.length, 0);
const slowPeer =
  share *
  milliseconds(() => {
    for (const text of some) remark().parse(text);
  }, 1);

/** One letter typed somewhere into the longest proposals: from the change to what the editor shows. */
function keystrokes(): number[] {
  const longest = found
    .map((each) => repository.load(each))
    .sort((one, other) => (other.readme?.text?.length ?? 0) - (one.readme?.text?.length ?? 0))
    .slice(0, 4);
  return Array.from({ length: 400 }, (_, at) => {
    const kep = longest[at % longest.length];
    const text = kep?.readme?.text ?? '';
    const place = Math.floor((text.length * ((at * 37) % 100)) / 100);
    const began = performance.now();
    const typed = repository.withTexts(
      kep ?? never(),
      new Map([['readme', `${text.slice(0, place)}x${text.slice(place)}`]]),
    );
    const facts = repository.facts(typed);
    const open = { facts, findings: repository.check(facts, typed) };
    diagnosticsOf(open, 'readme');
    codeLenses(open);
    return performance.now() - began;
  });
}

function never(): never {
  throw new Error('there is no proposal');
}

const typedP95 = quantile(keystrokes(), 0.95);

const upgrades = texts.flatMap((text) => {
  const began = performance.now();
  try {
    upgradeToTemplate(text, repository.template, { guidance: true });
  } catch (error) {
    if (!(error instanceof UpgradeRefusedError)) throw error;
  }
  return performance.now() - began;
});
const less = 'less' as const;
report('kep', [
  { what: `check ${wanted} KEPs`, unit: 'ms', value: checkMs, anchor: { name: 'target', value: 2_000 }, better: less },
  {
    what: `read ${wanted} KEPs (${Math.round(megabytes * scale)} MB)`,
    unit: 'ms',
    value: scan,
    anchor: { name: 'markdown-it', value: peer },
    better: less,
  },
  {
    what: `read ${wanted} KEPs, beside remark`,
    unit: 'ms',
    value: scan,
    anchor: { name: 'remark', value: slowPeer },
    better: less,
  },
  { what: `read ${wanted} KEPs`, unit: 'ms', value: scan, anchor: { name: 'target', value: 150 }, better: less },
  { what: 'a letter typed, p95', unit: 'ms', value: typedP95, anchor: { name: 'target', value: 15 }, better: less },
  {
    what: 'move one KEP to the template, p95',
    unit: 'ms',
    value: quantile(upgrades, 0.95),
    anchor: { name: 'target', value: 100 },
    better: less,
  },
  { what: 'resident at the end', unit: 'MB', value: resident, anchor: { name: 'target', value: 250 }, better: less },
]);
