import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defaultConfig, KepRepository, layoutOf, parseDocument, readSource } from '@slipway/kep';
import MarkdownIt from 'markdown-it';
import { quantile, report } from './support/report.js';

/** 650 proposals through all rules on one thread, and reading alone beside markdown-it. SLIPWAY_KEP_CORPUS names other proposals. */
const shared = fileURLToPath(new URL('../../../shared/corpus', import.meta.url));
const corpus = process.env.SLIPWAY_KEP_CORPUS ?? shared;
const layout = existsSync(corpus) ? layoutOf(corpus) : undefined;
if (!layout) {
  process.stdout.write('kep: there are no proposals to read; name some with SLIPWAY_KEP_CORPUS\n');
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
  { what: 'resident at the end', unit: 'MB', value: resident, anchor: { name: 'target', value: 250 }, better: less },
]);
